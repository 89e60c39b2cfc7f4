import './support/require-node.mjs';
import { prepare, programs } from './prepare.mjs';
import { main } from './support/failure.mjs';
import { handOver } from './support/processes.mjs';
import { inProject } from './support/project.mjs';

await main(async () => {
  await prepare({ builds: [programs] });
  return handOver([inProject('dist/bench/src/main.js'), ...process.argv.slice(2)]).ended;
});

import './support/require-node.mjs';
import { consolePages, prepare, programs } from './prepare.mjs';
import { main } from './support/failure.mjs';
import { handOver } from './support/processes.mjs';
import { inProject } from './support/project.mjs';

await main(async () => {
  await prepare({ builds: [programs, consolePages] });
  return handOver([inProject('dist/apps/local/src/main.js')]).ended;
});

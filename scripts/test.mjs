import './support/require-node.mjs';
import { consolePages, prepare, programs } from './prepare.mjs';
import { main } from './support/failure.mjs';
import { handOver } from './support/processes.mjs';
import { commandFile } from './support/project.mjs';

await main(async () => {
  await prepare({ builds: [programs, consolePages] });
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return handOver([...node, commandFile('jest'), ...process.argv.slice(2)]).ended;
});

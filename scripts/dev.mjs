import './support/require-node.mjs';
import { readdirSync, watch } from 'node:fs';
import { prepare, programs } from './prepare.mjs';
import { CommandFailure, main } from './support/failure.mjs';
import { handOver } from './support/processes.mjs';
import { inProject } from './support/project.mjs';

/** The console's own server watches its sources itself. */
const watched = [
  'prisma',
  'docs',
  ...foldersIn('libs'),
  ...foldersIn('apps').filter((app) => app !== 'apps/console'),
];
const settleMs = 150;

await main(async () => {
  await prepare({ builds: [programs] });
  const { child, ended } = handOver([inProject('dist/apps/local/src/main.js'), '--development']);
  onChange(async () => {
    try {
      const made = await prepare({ builds: [programs] });
      if (made.includes(programs.name) && child.connected) child.send('rebuilt');
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      console.error(`${error.output}\n${error.message}`);
    }
  });
  const code = await ended;
  process.exit(code);
});

/** Calls once after each burst of changes, and never while the former call is still under way. */
function onChange(call) {
  let timer;
  let busy = Promise.resolve();
  const settle = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (busy = busy.then(call)), settleMs);
  };
  for (const folder of watched) watch(inProject(folder), { recursive: true }, settle);
}

function foldersIn(name) {
  return readdirSync(inProject(name)).map((entry) => `${name}/${entry}`);
}

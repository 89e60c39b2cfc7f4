import './support/require-node.mjs';
import { prepare } from './prepare.mjs';
import { CommandFailure, main } from './support/failure.mjs';
import { runScript } from './support/processes.mjs';
import { commandFile } from './support/project.mjs';
import { step } from './support/steps.mjs';

const checks = [
  ['Format', 'prettier', ['--check', '.']],
  ['Lint', 'oxlint', []],
  ['Types', '@typescript/native', ['-p', '.'], 'tsc'],
  ['Types of the console', '@typescript/native', ['-p', 'apps/console'], 'tsc'],
  ['Unused code', 'knip', []],
];

await main(async () => {
  await prepare({ builds: [] });
  const failed = [];
  for (const [title, packageName, args, command] of checks) {
    try {
      await step(title, () => runScript(commandFile(packageName, command), args));
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      console.error(error.output);
      failed.push(title);
    }
  }
  if (failed.length > 0) throw new CommandFailure(`Not in order: ${failed.join(', ')}.`);
  console.log('All in order.');
  return 0;
});

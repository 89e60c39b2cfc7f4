import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandFailure } from './failure.mjs';

/** The top folder of the project. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export const inProject = (...parts) => join(root, ...parts);

const pinnedNodePath = inProject('node_modules/node/bin/node');

export const hasPinnedNode = () => existsSync(pinnedNodePath);

/** The Node that everything but these scripts runs under; it comes with the packages. */
export function pinnedNode() {
  if (hasPinnedNode()) return pinnedNodePath;
  throw new CommandFailure(
    'npm did not install the Node that Muster runs on; is `ignore-scripts` set for npm?',
  );
}

/** The JavaScript file behind a command of an installed package. */
export function commandFile(packageName, command = packageName) {
  const folder = inProject('node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}

/**
 * The PATH as it was before npm put the project's own programs in front: a Node out of node_modules
 * cannot run the npm that replaces node_modules.
 */
export function pathOutsideProject() {
  const entries = (process.env.PATH ?? '').split(delimiter);
  return entries.filter((entry) => !entry.startsWith(inProject('node_modules'))).join(delimiter);
}

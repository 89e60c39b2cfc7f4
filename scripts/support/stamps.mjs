import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CommandFailure } from './failure.mjs';
import { inProject, root } from './project.mjs';

/** A hash over the names and contents of all files below the given paths. */
function fingerprint(paths, isLeftOut) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => filesBelow(inProject(path), isLeftOut))) {
    hash.update(`${relative(root, file)}\0`).update(createHash('sha256').update(readFileSync(file)).digest());
  }
  return hash.digest('hex');
}

function filesBelow(path, isLeftOut) {
  if (!existsSync(path) || isLeftOut(relative(root, path))) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((entry) => filesBelow(join(path, entry), isLeftOut));
}

/**
 * Makes something anew unless what it was last made from is unchanged. The note of that is taken away
 * before and written after, so work that was cut short is done again. Returns whether it was made.
 */
export async function makeIfChanged({ name, inputs, leftOut = /^$/, output, make }) {
  const stamp = inProject('node_modules/.cache/muster', name);
  const print = fingerprint(inputs, (path) => /(^|\/)node_modules$/.test(path) || leftOut.test(path));
  const made = existsSync(stamp) && existsSync(inProject(output)) ? readFileSync(stamp, 'utf8') : undefined;
  if (made === print) return false;
  rmSync(stamp, { force: true });
  await make();
  if (!existsSync(inProject(output))) throw new CommandFailure(`${output} was not made.`);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, print);
  return true;
}

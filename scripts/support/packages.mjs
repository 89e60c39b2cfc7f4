import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { runQuietly } from './processes.mjs';
import { hasPinnedNode, inProject, pathOutsideProject } from './project.mjs';

const noteOfNpm = inProject('node_modules/.package-lock.json');
const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];

/** The package.json of the project and of each workspace. */
export function manifests() {
  const workspaces = ['libs', 'apps'].flatMap((group) =>
    readdirSync(inProject(group)).map((name) => `${group}/${name}`),
  );
  return ['.', ...workspaces].map((folder) => join(folder, 'package.json'));
}

/** Whether what the lock file says is what npm has put into node_modules, and what the manifests want. */
export function packagesAreInstalled() {
  const installed = readJson(noteOfNpm)?.packages;
  if (!installed || !hasPinnedNode()) return false;
  return Object.entries(readJson(inProject('package-lock.json')).packages).every(([path, locked]) => {
    if (!path.includes('node_modules/')) return matchesManifest(path, locked);
    // An optional package is left out where it is for another platform.
    return installed[path] === undefined
      ? locked.optional || locked.devOptional
      : sameRelease(installed[path], locked);
  });
}

/**
 * Installs what the lock file says, and leaves that file alone. (`npm ci` would do the same, but it refuses a
 * lock file that lacks a package for some other platform, which a registry may lack as well.)
 */
export async function installPackages() {
  // npm trusts a folder that an interrupted installation has left behind, so we do not: npm's note of what it has
  // installed is taken away before, and a folder without it is thrown away.
  if (existsSync(noteOfNpm)) rmSync(noteOfNpm);
  else rmSync(inProject('node_modules'), { recursive: true, force: true });

  await runQuietly(
    'npm',
    ['install', '--no-save', '--include=dev', '--include=optional', '--no-audit', '--no-fund'],
    {
      env: {
        PATH: pathOutsideProject(),
        // Older versions of npm know nothing of `allowScripts` and run every install script: no report to third
        // parties then, and no download of an engine that is not used.
        SCARF_ANALYTICS: 'false',
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      },
    },
  );
}

/** A workspace (or the project itself) as it stood when the lock file was written. */
function matchesManifest(path, locked) {
  const manifest = readJson(inProject(path, 'package.json'));
  return kinds.every((kind) => isDeepStrictEqual(manifest?.[kind] ?? {}, locked[kind] ?? {}));
}

const sameRelease = (installed, locked) =>
  installed.version === locked.version && installed.link === locked.link;

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

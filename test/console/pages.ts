import { globSync } from 'node:fs';
import path from 'node:path';

/** From the top of the project, where the tests run. */
const APP = 'apps/console/src/app';

/** Files that answer requests: each of them has to find out who is asking. */
export function handlerFiles(): string[] {
  return globSync('**/{page,route}.{ts,tsx}', { cwd: APP })
    .filter((file) => !file.startsWith('sign-in/'))
    .map((file) => path.join(APP, file))
    .sort();
}

/** The addresses of all pages that need a session, as the folders say; groups in parentheses do not show. */
export function pagePaths(): string[] {
  return handlerFiles()
    .filter((file) => path.basename(file).startsWith('page.'))
    .map((file) => path.relative(APP, path.dirname(file)))
    .map((folder) => folder.split(path.sep).filter((part) => !part.startsWith('(')))
    .map((parts) => `/${parts.join('/')}`);
}

import { existsSync } from 'node:fs';
import path from 'node:path';

/** The folder that holds `prisma/`: the checkout, or the image's working folder. */
export function projectRoot(): string {
  for (const start of [path.dirname(process.argv[1] ?? '.'), process.cwd()]) {
    for (let folder = path.resolve(start); ; folder = path.dirname(folder)) {
      if (existsSync(path.join(folder, 'prisma', 'schema.prisma'))) return folder;
      if (folder === path.dirname(folder)) break;
    }
  }
  throw new Error('The folder prisma/ was not found above the program or the working folder');
}

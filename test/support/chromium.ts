import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

export interface Chromium {
  executablePath: string;
  /** What it needs on a machine that has neither a font nor the libraries of a desktop. */
  env: Record<string, string>;
}

/** Unpacks the Chromium that an npm package brings along, once per installation of that package. */
export async function installChromium(): Promise<Chromium> {
  const entry = createRequire(path.resolve('package.json')).resolve('@sparticuz/chromium');
  const directory = path.resolve('node_modules/.cache/muster/chromium');
  if (!existsSync(directory)) await unpack(entry, directory);
  return {
    executablePath: path.join(directory, 'chromium'),
    env: { FONTCONFIG_PATH: directory, LD_LIBRARY_PATH: path.join(directory, 'al2023/lib') },
  };
}

/** In a folder of its own first, then by rename: whoever looks finds all of it or nothing. */
async function unpack(entry: string, directory: string): Promise<void> {
  await mkdir(path.dirname(directory), { recursive: true });
  const draft = await mkdtemp(`${directory}-`);
  const script = `
    const { default: chromium, inflate } = await import(process.argv[1]);
    await chromium.executablePath();
    await inflate(process.argv[2]);`;
  const libraries = path.resolve(path.dirname(entry), '../bin/al2023.tar.br');
  // The package unpacks to the temporary folder of its process, wherever that is.
  const env = { ...process.env, TMPDIR: draft };
  const args = ['--input-type=module', '--eval', script, entry, libraries];
  await promisify(execFile)(process.execPath, args, { env });
  await writeFile(path.join(draft, 'fonts.conf'), fontsOf(directory));
  await rename(draft, directory).catch(async (error: NodeJS.ErrnoException) => {
    await rm(draft, { recursive: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

function fontsOf(directory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${directory}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${directory}/fonts-cache</cachedir>
  <alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>ui-monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;
}

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { allowLogin } from '@muster/data/embedded/one-off-client';
import type { DataFolder } from './data-folder.js';

const role = 'muster_reporting';
const fileName = 'reporting-url';

/** Lets the read-only reporting role sign in, and keeps the address to do so beside the other one. */
export async function grantReportingLogin(databaseUrl: string, folder: DataFolder): Promise<void> {
  const password = (await keptPassword(folder)) ?? randomBytes(24).toString('base64url');
  await allowLogin(databaseUrl, role, password);
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = password;
  await folder.writePrivate(fileName, url.href);
}

async function keptPassword(folder: DataFolder): Promise<string | undefined> {
  const url = await readFile(folder.file(fileName), 'utf8').catch(() => '');
  return URL.canParse(url) ? new URL(url).password || undefined : undefined;
}

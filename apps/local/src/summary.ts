import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { DataFolder } from './data-folder.js';
import type { Settings } from './settings.js';

const passwordFile = 'admin-password';

/** Whether an earlier start has already made a password for the first admin. */
export function hasAdminPassword(folder: DataFolder): boolean {
  return existsSync(folder.file(passwordFile));
}

/** What the user needs to know once everything runs. */
export function summary(settings: Settings, folder: DataFolder, passwordIsOld: boolean): string {
  const shown = (name: string) => {
    const nearby = relative(process.cwd(), folder.file(name));
    return nearby.startsWith('..') ? folder.file(name) : nearby;
  };
  const lines = [
    ['Console', `http://localhost:${settings.consolePort}`],
    ['API', `http://localhost:${settings.apiPort} (described at /api/docs)`],
    ['Sign in', `as ${settings.adminUser}, ${password()}`],
    ...(settings.databaseUrl === undefined ? [['Database', `psql "$(cat ${shown('database-url')})"`]] : []),
    ['Logs', `${shown('logs')}/`],
    ['Stop', 'Ctrl-C'],
  ];
  return [
    '',
    'Muster is running.',
    '',
    ...lines.map(([label, text]) => `  ${label!.padEnd(10)}${text}`),
    '',
  ].join('\n');

  function password(): string {
    if (settings.adminPasswordGiven) return 'with the password in MUSTER_ADMIN_PASSWORD';
    if (!hasAdminPassword(folder)) return 'with the password that was set';
    if (passwordIsOld) return `the password is in ${shown(passwordFile)}`;
    return `password ${readFileSync(folder.file(passwordFile), 'utf8').trim()} (kept in ${shown(passwordFile)})`;
  }
}

import { spawnSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { EmbeddedServerError } from './embedded-errors.js';

/** PostgreSQL refuses to run as root, so for root it runs as somebody else. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const candidates = ['postgres', 'nobody'];

/** Whom to run as; undefined means: as ourselves. Whoever owns the data already has to be the one. */
export async function chooseServerUser(dataDirectory: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(dataDirectory).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  for (const name of candidates) {
    const user = lookUp(name);
    if (user) return user;
  }
  throw new EmbeddedServerError(
    'NO_SERVER_USER',
    `PostgreSQL does not run as root, and this machine has none of the users ${candidates.join(', ')} to run it as.`,
  );
}

/** Asks the kernel rather than mode bits: every folder on the way counts, and so do access lists. */
export function canReach(user: ServerUser, path: string): boolean {
  const test = spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], {
    ...user,
    cwd: '/',
    stdio: 'ignore',
  });
  return test.status === 0;
}

function lookUp(name: string): ServerUser | undefined {
  const uid = numberFrom('id', '-u', name);
  const gid = numberFrom('id', '-g', name);
  return uid === undefined || gid === undefined || uid === 0 ? undefined : { uid, gid };
}

function numberFrom(command: string, ...args: string[]): number | undefined {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' });
  // Some systems print the id of `nobody` unsigned; the system call takes it signed.
  return status === 0 ? Number(stdout) | 0 : undefined;
}

import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { inProject } from './project.mjs';

const file = inProject('.prepare-lock');
const renewMs = 2_000;
const forgottenMs = 300_000;

/** Waits until no other command installs or builds in this folder, then does so alone. */
export async function inTurn(work) {
  for (let told = false; !claim(); await delay(200)) {
    if (setAsideIfAbandoned() || told) continue;
    console.log('Waiting for another command that is preparing this folder …');
    told = true;
  }
  const renewal = setInterval(renew, renewMs);
  process.once('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    process.off('exit', release);
    release();
  }
}

/** A folder that cannot be written can still be used if it has all it needs; there is nothing to protect then. */
function claim() {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    if (error.code === 'EACCES' || error.code === 'EROFS') return true;
    throw error;
  }
}

const isOurs = () => existsSync(file) && readFileSync(file, 'utf8') === String(process.pid);

function renew() {
  if (isOurs()) utimesSync(file, new Date(), new Date());
}

function release() {
  if (isOurs()) rmSync(file, { force: true });
}

/** Takes away the lock of a process that is gone, or that has not renewed it for long (its pid is another's now). */
function setAsideIfAbandoned() {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    const untouchedMs = Date.now() - statSync(file).mtimeMs;
    if (untouchedMs < forgottenMs && (holder === 0 || isAlive(holder))) return false;
    // By rename, so that of several who find it only one takes it away.
    renameSync(file, `${file}.${process.pid}`);
    rmSync(`${file}.${process.pid}`);
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') return true;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

import { setTimeout as delay } from 'node:timers/promises';

const betweenAttemptsMs = 100;
const attemptTimeoutMs = 5_000;

/** Returns once a GET of this address is answered as wanted. */
export async function untilAnswered(
  url: string,
  wanted: (status: number) => boolean,
  signal: AbortSignal,
): Promise<void> {
  while (!(await answers(url, wanted, signal))) await delay(betweenAttemptsMs, undefined, { signal });
}

async function answers(
  url: string,
  wanted: (status: number) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]),
    });
    await response.body?.cancel();
    return wanted(response.status);
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

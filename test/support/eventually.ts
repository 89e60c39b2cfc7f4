import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;

/** For what gives no signal: looks until it is so, and says what it saw last if that never happens. */
export async function eventually<Seen>(
  look: () => Promise<Seen> | Seen,
  isSo: (seen: Seen) => boolean,
  withinMs = 10_000,
): Promise<Seen> {
  const end = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > end) {
      throw new Error(`Not within ${withinMs} ms; last seen: ${JSON.stringify(seen)}`);
    }
    await delay(LOOK_EVERY_MS);
  }
}

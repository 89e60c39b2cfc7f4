import type { Scope } from './benchmark.js';
import { standingOf, type Standing, type Turn } from './standings.js';

export interface Contestant {
  readonly key: string;
  readonly label: string;
  /** Works for that long and says how it went; throws when what it did was not right. */
  take(seconds: number): Promise<Turn>;
}

/** Turns' worth of work before the first round, for the compiler to have seen everything often enough. */
const WARM_UP_TURNS = 3;

/**
 * Warms everybody up, then lets them take short turns, round after round, each round begun by another one:
 * a machine that is slower for a while is slower for all of them.
 */
export async function compete(contestants: readonly Contestant[], scope: Scope): Promise<Standing[]> {
  const { seconds, rounds, progress } = scope;
  const turns = new Map<Contestant, Turn[]>(contestants.map((contestant) => [contestant, []]));
  for (const contestant of contestants) {
    progress(`Warming up: ${contestant.label}`);
    await contestant.take(seconds * WARM_UP_TURNS);
  }
  for (let round = 0; round < rounds; round++) {
    const first = round % contestants.length;
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      const turn = await contestant.take(seconds);
      turns.get(contestant)!.push(turn);
      progress(
        `Round ${round + 1} of ${rounds}: ${contestant.label}: ${Math.round(turn.perSecond)} per second`,
      );
    }
  }
  return contestants.map((contestant) =>
    standingOf(contestant.key, contestant.label, turns.get(contestant)!),
  );
}

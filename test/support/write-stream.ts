import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Client } from './client.js';

/** One durable write of the stream and what became of it. */
export interface Write {
  readonly name: string;
  /** Undefined: the connection broke before an answer came. */
  readonly answer: Answer | undefined;
  readonly answeredAt: number;
}

export interface WriteStream {
  readonly writes: readonly Write[];
  /** What was answered to the reading that goes on beside the writing; 0 for a broken connection. */
  readonly readStatuses: ReadonlySet<number>;
  /** Resolves with the first write answered from now on that is so. */
  next(isSo: (write: Write) => boolean): Promise<Write>;
  /** Ends when what is under way has been answered. */
  stop(): Promise<void>;
}

const PATIENCE_MS = 15_000;

/** Callers take a breath after a refusal, as they are told to, though a shorter one. */
const BREATH_MS = 20;

let streams = 0;

/** Several callers who each make one API key after the other, under names of their own, and read meanwhile. */
export function streamWrites(client: Client, callers = 8): WriteStream {
  const stream = ++streams;
  const writes: Write[] = [];
  const readStatuses = new Set<number>();
  const answers = new EventEmitter();
  let going = true;
  const call = async (caller: number) => {
    for (let turn = 0; going; turn++) {
      const name = `stream-${stream}-${caller}-${turn}`;
      const [answer, read] = await Promise.all([
        client('POST', '/api/api-keys', { name, role: 'viewer' }).catch(() => undefined),
        client('GET', '/api/users?limit=1').catch(() => undefined),
      ]);
      readStatuses.add(read?.status ?? 0);
      const write = { name, answer, answeredAt: performance.now() };
      writes.push(write);
      answers.emit('answer', write);
      if (answer?.status !== 201) await delay(BREATH_MS);
    }
  };
  const done = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return {
    writes,
    readStatuses,
    next: (isSo) =>
      new Promise((resolve, reject) => {
        const giveUp = setTimeout(() => {
          answers.off('answer', look);
          reject(new Error(`The awaited answer did not come; so far: ${JSON.stringify(tally(writes))}`));
        }, PATIENCE_MS);
        const look = (write: Write) => {
          if (!isSo(write)) return;
          clearTimeout(giveUp);
          answers.off('answer', look);
          resolve(write);
        };
        answers.on('answer', look);
      }),
    stop: async () => {
      going = false;
      await done;
    },
  };
}

/** What was answered how often; `none` stands for a broken connection. */
export function tally(writes: readonly Write[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer } of writes) {
    const status = answer?.status ?? 'none';
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

export function accepted(writes: readonly Write[]): string[] {
  return writes.filter(({ answer }) => answer?.status === 201).map(({ name }) => name);
}

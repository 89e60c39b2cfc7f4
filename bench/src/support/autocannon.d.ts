/** As much of autocannon as is used here; the package brings no types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  interface Options {
    readonly url: string;
    readonly method: 'POST';
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly connections: number;
    readonly pipelining: number;
    /** In seconds. */
    readonly duration: number;
    /** How often it looks whether the time is up, in milliseconds. */
    readonly sampleInt: number;
    readonly verifyBody: (body: string) => boolean;
  }

  interface Result {
    readonly '2xx': number;
    readonly non2xx: number;
    readonly errors: number;
    readonly timeouts: number;
    readonly mismatches: number;
  }

  function autocannon(options: Options, done: (error: Error | null, result: Result) => void): EventEmitter;
  export default autocannon;
}

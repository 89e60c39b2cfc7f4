import autocannon from 'autocannon';
import { Stopwatch } from './stopwatch.js';
import type { Hit, Shot } from './load.js';
import { answer } from './program.js';

/** As many requests as the connections carry, one after the other on each. */
function fire({ url, headers, body, connections, seconds }: Shot): Promise<Hit> {
  const ids: string[] = [];
  const stopwatch = new Stopwatch();
  return new Promise((resolve, reject) => {
    const run = autocannon(
      {
        url,
        method: 'POST',
        headers,
        body,
        connections,
        pipelining: 1,
        duration: seconds,
        sampleInt: 100,
        verifyBody: (answered) => {
          ids.push((JSON.parse(answered) as { id: string }).id);
          return true;
        },
      },
      (error, result) => {
        if (error) return reject(error);
        // Each time-out is an error as well.
        resolve({ ids, failures: result.non2xx + result.errors, ...stopwatch.read() });
      },
    );
    run.on('response', (_client, _status, _bytes, ms: number) => stopwatch.record(ms));
  });
}

answer({ fire }, null);

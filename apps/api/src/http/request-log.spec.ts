import { describe, expect, it, jest } from '@jest/globals';
import { pino, type Logger } from 'pino';
import { RequestLog } from './request-log.js';

function collect(): { log: Logger; lines: Array<Record<string, unknown>> } {
  const lines: Array<Record<string, unknown>> = [];
  const stream = { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) };
  return { log: pino({ level: 'info', redact: ['*.token'] }, stream), lines };
}

describe('the log of a request', () => {
  it('names the request in every line, also in those of a child', () => {
    const { log, lines } = collect();
    const request = new RequestLog(log, { reqId: 'r-1' }, {});
    request.warn({ status: 503 }, 'slow');
    request.child({ part: 'body' }).error('broken');
    expect(lines).toMatchObject([
      { reqId: 'r-1', status: 503, msg: 'slow' },
      { reqId: 'r-1', part: 'body', msg: 'broken' },
    ]);
  });

  it('hides what its parent hides and is silent where its parent is', () => {
    const { log, lines } = collect();
    const request = new RequestLog(log, { reqId: 'r-2' }, {});
    request.debug('not of interest');
    request.info({ session: { token: 'abc' } }, 'signed in');
    expect(lines).toMatchObject([{ session: { token: '[Redacted]' }, msg: 'signed in' }]);
    expect(lines).toHaveLength(1);
  });

  it('is made with its first line, and once', () => {
    const { log } = collect();
    const make = jest.spyOn(log, 'child');
    const request = new RequestLog(log, { reqId: 'r-3' }, {});
    expect(make).not.toHaveBeenCalled();
    request.info('one');
    request.info('two');
    expect(make).toHaveBeenCalledTimes(1);
  });
});

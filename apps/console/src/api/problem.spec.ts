import { describe, expect, it } from '@jest/globals';
import { ApiError, inWords } from './problem';

function problem(status: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers });
}

describe('inWords', () => {
  it('says how long to wait', async () => {
    const soon = await ApiError.from(problem(429, { code: 'RATE_LIMITED' }, { 'retry-after': '42' }));
    const later = await ApiError.from(problem(429, { code: 'RATE_LIMITED' }, { 'retry-after': '900' }));
    expect(inWords(soon)).toBe('Too many attempts. Try again in 42 seconds.');
    expect(inWords(later)).toBe('Too many attempts. Try again in 15 minutes.');
  });

  it('tells an API that is away from a database that is away', async () => {
    expect(inWords(await ApiError.from(problem(503, { code: 'API_UNREACHABLE' })))).toMatch(
      /API does not answer/,
    );
    expect(inWords(await ApiError.from(problem(503, { code: 'DATABASE_AWAY' })))).toMatch(/database/);
  });

  it('hands on what the server says about the input', async () => {
    const errors = [{ field: 'password', message: 'password must be longer' }];
    const refused = await ApiError.from(problem(400, { detail: 'The body is not valid', errors }));
    expect(refused.fields).toEqual({ password: 'password must be longer' });
    expect(inWords(refused)).toBe('The body is not valid. password must be longer.');
  });

  it('does not repeat what a broken server says', async () => {
    expect(inWords(await ApiError.from(new Response('<html>', { status: 500 })))).toMatch(/made a mistake/);
    expect(inWords(new TypeError('x is undefined'))).not.toMatch(/undefined/);
    expect(inWords(ApiError.noAnswer())).toMatch(/no connection/);
  });
});

import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { accessTable, isUndescribed } from './support/access-table.js';
import { committedDescription, expectDescribed } from './support/described.js';
import { clientOf, type Answer } from '../support/client.js';
import { useApi } from './support/use-api.js';

const api = useApi({ MUSTER_GUESTS: 'true' });

const routes = accessTable.filter((row) => !isUndescribed(row));

/** Every name that some message or query has, so that fuzz gets past the first check. */
const names = [...new Set(JSON.stringify(committedDescription()).match(/(?<=")[a-z][A-Za-z]+(?=":)/g))];

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '%',
    '_',
    "'",
    '"; --',
    '\u0000',
    '\ud800',
    '\u202e',
    'null',
    '-0',
    '1e999',
    '2026-02-30',
    'x'.repeat(5_000),
  ),
  fc.uuid(),
  fc
    .date({ noInvalidDate: false })
    .map((date) => (Number.isNaN(date.getTime()) ? 'never' : date.toISOString())),
);
const oddValue = fc.oneof(
  oddText,
  fc.double(),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('admin', 'client', 'guest', 'viewer'),
  fc.array(oddText, { maxLength: 3 }),
  fc.dictionary(oddText, fc.jsonValue(), { maxKeys: 3 }),
);
const oddName = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...names) },
  { weight: 1, arbitrary: oddText },
);
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.dictionary(oddName, oddValue, { maxKeys: 5 }).map((value) => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
);
const query = fc.array(fc.tuple(oddName, oddValue), { maxLength: 4 }).map((pairs) => {
  const text = (value: unknown) =>
    encodeURIComponent((typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed());
  return pairs.map(([name, value]) => `${text(name)}=${text(value)}`).join('&');
});
const request = fc.record({
  route: fc.constantFrom(...routes),
  id: fc.oneof(fc.uuid(), oddText).map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 150)),
  query,
  body,
  type: fc.oneof(
    { weight: 6, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16') },
  ),
  key: fc.option(fc.stringMatching(/^[\x20-\x7e]{0,300}$/), { nil: undefined, freq: 4 }),
  // From ever new addresses, or failed sign-ins would soon be all that is answered.
  address: fc.ipV4(),
});
type Request = typeof request extends fc.Arbitrary<infer Given> ? Given : never;

function expectProperAnswer(method: string, url: string, answer: Answer): void {
  expect(answer.status).toBeLessThan(500);
  if (answer.status >= 400) {
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.body).toMatchObject({
      status: answer.status,
      code: expect.stringMatching(/^[A-Z][A-Z_]+$/),
    });
  }
  expectDescribed(method, url, answer);
}

async function send(client: ReturnType<typeof clientOf>, given: Request): Promise<void> {
  const { method, path } = given.route;
  const url = `${path.replace(':id', given.id)}${given.query ? `?${given.query}` : ''}`;
  const headers = {
    'x-forwarded-for': given.address,
    ...(given.key === undefined ? {} : { 'idempotency-key': given.key.trim() }),
    ...(method === 'GET' ? {} : { 'content-type': given.type }),
  };
  expectProperAnswer(
    method,
    url,
    await client(method, url, method === 'GET' ? undefined : given.body, headers),
  );
}

it('nothing that an administrator sends makes a 500, and every refusal says why', async () => {
  // An API key, because a session would end with the first sign-out.
  const { body: created } = await api.admin('POST', '/api/api-keys', { name: 'fuzz', role: 'admin' });
  const client = clientOf(api.url, created.key as string);
  await fc.assert(
    fc.asyncProperty(request, (given) => send(client, given)),
    { numRuns: 400 },
  );
  expect((await client('GET', '/api/users?limit=1')).status).toBe(200);
});

it('nor does anything that a stranger sends', async () => {
  const strangers = fc.record({
    given: request,
    credential: fc.string({ unit: 'grapheme-ascii', maxLength: 60 }),
  });
  const property = fc.asyncProperty(strangers, ({ given, credential }) =>
    send(clientOf(api.url, credential.trim() || 'x'), given),
  );
  await fc.assert(property, { numRuns: 150 });
});

it('and nothing of it was unforeseen', () => {
  expect(api.process.output()).not.toMatch(/"level":"(error|fatal)"/);
});

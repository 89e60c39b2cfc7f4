import { beforeAll, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { clientOf, type Client } from '../support/client.js';
import { accessTable, isUndescribed, type Row } from './support/access-table.js';
import { committedDescription, expectDescribed, type Operation } from './support/described.js';
import { useApi } from './support/use-api.js';

const api = useApi({ MUSTER_GUESTS: 'true' });

/** Requests are made from the description: nearly right, so that they get past the first check. */
const description = committedDescription();
const ODD_TEXTS = [
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
];

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: string[];
  readonly anyOf?: Schema[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Record<string, Schema>;
}

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(...ODD_TEXTS, 'x'.repeat(5_000)),
  fc.uuid(),
);
const oddValue = fc.oneof(
  oddText,
  fc.double(),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
  fc.array(oddText, { maxLength: 3 }),
  fc.dictionary(oddText, fc.jsonValue(), { maxKeys: 3 }),
);

const time = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fitting));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date-time') return time;
  if (schema.pattern) return fc.stringMatching(/^[A-Za-z]{1,20}$/);
  if (schema.type === 'string') return fc.string({ minLength: schema.minLength ?? 0, maxLength: 40 });
  if (schema.type === 'integer')
    return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 });
  return schema.type === 'boolean' ? fc.boolean() : fc.constant(null);
}

const nearly = (schema: Schema) =>
  fc.oneof({ weight: 4, arbitrary: fitting(schema) }, { weight: 1, arbitrary: oddValue });

function bodyFor({ requestBody }: Operation): fc.Arbitrary<string | undefined> {
  const schema = requestBody?.content['application/json']?.schema as Schema | undefined;
  const { properties = {} } =
    (description.components.schemas[schema?.$ref?.split('/').at(-1) ?? ''] as Schema) ?? {};
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, nearly(field)]));
  const object = fc.oneof(
    { weight: 4, arbitrary: fc.record(fields) },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.dictionary(oddText, oddValue, { maxKeys: 3 }) },
  );
  return fc.oneof(
    { weight: 8, arbitrary: object.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  );
}

function queryFor({ parameters = [] }: Operation): fc.Arbitrary<string> {
  const asked = parameters.filter((parameter) => parameter.in === 'query');
  const pair = fc.oneof(
    ...asked.map(({ name, schema }) => fc.tuple(fc.constant(name), nearly(schema as Schema))),
    fc.tuple(oddText, oddText),
  );
  const text = (value: unknown) =>
    encodeURIComponent((typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed());
  return fc
    .array(pair, { maxLength: 3 })
    .map((pairs) => pairs.map(([name, value]) => `${text(name)}=${text(value)}`).join('&'));
}

interface Request {
  readonly row: Row;
  /** Null: of something that is there. */
  readonly id: string | null;
  readonly query: string;
  readonly body: string | undefined;
  readonly type: string;
  readonly key: string | undefined;
  readonly address: string;
}

function requestFor(row: Row): fc.Arbitrary<Request> {
  const operation = description.paths[row.path.replace(/:(\w+)/g, '{$1}')]![row.method.toLowerCase()]!;
  const types = ['text/plain', 'application/json; charset=utf-16'];
  return fc.record({
    row: fc.constant(row),
    id: fc.option(
      oddText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 150)),
      { freq: 1 },
    ),
    query: row.method === 'GET' ? queryFor(operation) : fc.constant(''),
    body: row.method === 'GET' ? fc.constant(undefined) : bodyFor(operation),
    type: fc.oneof(
      { weight: 9, arbitrary: fc.constant('application/json') },
      { weight: 1, arbitrary: fc.constantFrom(...types) },
    ),
    key: fc.option(fc.stringMatching(/^[\x21-\x7e]{0,300}$/), { nil: undefined, freq: 4 }),
    // From ever new addresses, or failed sign-ins would soon be all that is answered.
    address: fc.ipV4(),
  });
}

const request = fc.oneof(...accessTable.filter((row) => !isUndescribed(row)).map(requestFor));

const known: Record<string, string> = {};
let administrator: Client;

beforeAll(async () => {
  const key = { name: 'fuzz', role: 'admin' };
  // An API key, because a session would end with the first sign-out.
  administrator = clientOf(api.url, (await api.admin('POST', '/api/api-keys', key)).body.key as string);
  known['/api/users/:id'] = (await api.user('client')).id;
  known['/api/api-keys/:id'] = (await api.admin('POST', '/api/api-keys', key)).body.id as string;
});

async function send(client: Client, { row, id, query, body, type, key, address }: Request): Promise<void> {
  const path = row.path.replace(':id', id ?? known[row.path] ?? '');
  const url = query ? `${path}?${query}` : path;
  const headers = {
    'x-forwarded-for': address,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(body === undefined ? {} : { 'content-type': type }),
  };
  const answer = await client(row.method, url, body, headers);
  expect(answer.status).toBeLessThan(500);
  if (answer.status >= 400) {
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.body).toMatchObject({
      status: answer.status,
      code: expect.stringMatching(/^[A-Z][A-Z_]+$/),
    });
  }
  expectDescribed(row.method, url, answer);
}

it('nothing that an administrator sends makes a 500, and every refusal says why', async () => {
  await fc.assert(
    fc.asyncProperty(request, (given) => send(administrator, given)),
    { numRuns: 500 },
  );
  expect((await administrator('GET', '/api/users?limit=1')).status).toBe(200);
});

it('nor does anything that a stranger sends', async () => {
  const credential = fc.stringMatching(/^[\x21-\x7e]{1,60}$/);
  const property = fc.asyncProperty(request, credential, (given, token) =>
    send(clientOf(api.url, token), given),
  );
  await fc.assert(property, { numRuns: 150 });
});

it('and nothing of it was unforeseen', () => {
  expect(api.process.output()).not.toMatch(/"level":"(error|fatal)"/);
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { strictValidation } from '../../apps/api/src/http/validation.js';
import { Fault } from '@muster/domain/errors';
import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, ValidateNested } from 'class-validator';
import type { Answer } from '../support/client.js';
import { rawRequest } from './support/raw-request.js';
import { refusal, useApi } from './support/use-api.js';

const api = useApi({ MUSTER_GUESTS: 'true' });

const user = () => ({
  username: `user-${randomUUID().slice(0, 8)}`,
  password: 'long enough',
  role: 'client',
});
const post = (body: unknown, headers?: Record<string, string>) =>
  api.admin('POST', '/api/users', body, headers);
const fields = ({ body }: Answer) => body.errors?.map(({ field }: { field: string }) => field);

/** What every refusal looks like (RFC 9457). */
function expectProblem(answer: Answer, status: number, code: string, instance: string): void {
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(answer.body).toMatchObject({
    type: 'about:blank',
    title: expect.stringMatching(/^[A-Z]/),
    status,
    detail: expect.stringMatching(/\w/),
    instance,
    code,
  });
  expect(answer.status).toBe(status);
}

describe('what is not there', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/api'],
    ['GET', '/api/nothing'],
    ['GET', '/api/users/'],
    ['GET', '/API/USERS'],
    ['PUT', '/api/users'],
    ['DELETE', '/api/users'],
    ['GET', '/api/auth/login'],
    ['OPTIONS', '/api/users'],
    ['POST', '/healthz'],
  ])('%s %s is 404', async (method, path) => {
    expectProblem(await api.admin(method, path), 404, 'NOT_FOUND', path);
  });

  it('an id that is not a UUID is 400, an unknown one 404', async () => {
    for (const [method, path, body] of [
      ['PATCH', '/api/users', {}],
      ['DELETE', '/api/api-keys', undefined],
    ] as const) {
      for (const bad of ['1', 'abc', `${randomUUID()}x`, `%7B${randomUUID()}%7D`, '%20', 'null', "'--"]) {
        const answer = await api.admin(method, `${path}/${bad}`, body);
        expectProblem(answer, 400, 'BAD_ID', `${path}/${bad}`);
        expect(fields(answer)).toEqual(['id']);
      }
      // Whatever PostgreSQL takes for a UUID is one, also where no generator would have made it.
      for (const unknown of [
        randomUUID(),
        randomUUID().toUpperCase(),
        '11111111-1111-1111-1111-111111111111',
      ]) {
        expectProblem(
          await api.admin(method, `${path}/${unknown}`, body),
          404,
          'NOT_FOUND',
          `${path}/${unknown}`,
        );
      }
    }
  });
});

describe('a body that is not what the call takes', () => {
  it.each([
    ['cut short', '{"username":'],
    ['no JSON', 'username=a'],
    ['two values', '{} {}'],
    ['a comment', '{ /* */ }'],
    ['a prototype', '{"__proto__":{"role":"admin"}}'],
    ['a prototype, deep down', '{"a":[{"__proto__":{}}]}'],
    ['a prototype, spelt out', '{"\\u005f_proto__":{}}'],
    ['a constructor with a prototype', '{"constructor":{"prototype":{}}}'],
    ['a control character in a text', '{"username":"a\u0000"}'],
  ])('%s is 400', async (_what, body) => {
    expectProblem(await post(body), 400, 'BAD_JSON', '/api/users');
  });

  it.each(['[]', '"text"', '5', 'true', 'null', '[{"username":"a"}]', ''])('%s is 400', async (body) => {
    const answer = await post(body);
    expectProblem(answer, 400, 'VALIDATION_FAILED', '/api/users');
    expect(fields(answer)).toEqual(expect.arrayContaining(['username', 'password', 'role']));
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'nonsense',
  ])('%s is 415', async (type) => {
    expectProblem(
      await post(JSON.stringify(user()), { 'content-type': type }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      '/api/users',
    );
  });

  it('an unknown field is named', async () => {
    const answer = await post({ ...user(), admin: true });
    expectProblem(answer, 400, 'VALIDATION_FAILED', '/api/users');
    expect(answer.body.errors).toEqual([{ field: 'admin', message: 'property admin should not exist' }]);
  });

  it('each wrong field is named, with what it should be', async () => {
    const answer = await post({ username: 5, password: {}, role: ['admin'] });
    expectProblem(answer, 400, 'VALIDATION_FAILED', '/api/users');
    expect(new Set(fields(answer))).toEqual(new Set(['username', 'password', 'role']));
    expect(answer.body.errors).toContainEqual({
      field: 'role',
      message: expect.stringMatching(/admin, client/),
    });
  });

  it('null is not the same as leaving a field out', async () => {
    const { id } = await api.user('client');
    for (const field of ['password', 'role', 'disabled']) {
      const answer = await api.admin('PATCH', `/api/users/${id}`, { [field]: null });
      expectProblem(answer, 400, 'VALIDATION_FAILED', `/api/users/${id}`);
      expect(fields(answer)).toContain(field);
    }
  });

  it('a wrong field deep inside is named by its path', async () => {
    class Part {
      @IsInt()
      cores: number;
    }
    class Whole {
      @IsString()
      name: string;
      @IsArray()
      @ValidateNested({ each: true })
      @Type(() => Part)
      parts: Part[];
    }
    const given = { name: 'a', parts: [{ cores: 1 }, { cores: 'two', more: 1 }] };
    const refused = await strictValidation()
      .transform(given, { type: 'body', metatype: Whole })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Fault);
    expect((refused as Fault).details.errors?.map(({ field }) => field)).toEqual([
      'parts.1.more',
      'parts.1.cores',
    ]);
  });

  it.each([
    ['U+0000', '\\u0000', 'NUL_CHARACTER'],
    ['the first half of a surrogate pair', '\\ud83d', 'LONE_SURROGATE'],
    ['the second half of a surrogate pair', '\\uDE00', 'LONE_SURROGATE'],
    ['a surrogate pair the wrong way round', '\\ude00\\ud83d', 'LONE_SURROGATE'],
  ])('%s in a text, or in the name of a field, is 400', async (_what, escape, code) => {
    for (const body of [`{"username":"a${escape}"}`, `{"a${escape}":1}`, `{"a":[{"b":"${escape}"}]}`]) {
      expectProblem(await api.nobody('POST', '/api/auth/guest', body), 400, code, '/api/auth/guest');
    }
  });

  it('what only looks like that is not', async () => {
    for (const name of ['back\\slash \\u0000', 'back\\slash \\ud83d', 'a smile \u{1f600}']) {
      const answer = await api.nobody('POST', '/api/auth/guest', { username: name });
      expect([answer.status, answer.body.user?.username]).toEqual([200, name]);
    }
    const escaped = await api.nobody(
      'POST',
      '/api/auth/guest',
      '{"username":"another smile \\ud83d\\ude00"}',
    );
    expect(escaped.body.user.username).toBe('another smile \u{1f600}');
  });

  it.each([
    '2027-W05',
    '2027-02-30T00:00:00Z',
    '2027-01-01T25:00:00Z',
    '-2027-01-01',
    '+12027-01-01',
    '2027',
    'tomorrow',
    '',
    5,
  ])('the time %p is 400', async (expiresAt) => {
    const answer = await api.admin('POST', '/api/api-keys', { name: 'a', role: 'client', expiresAt });
    expectProblem(answer, 400, 'VALIDATION_FAILED', '/api/api-keys');
    expect(fields(answer)).toEqual(['expiresAt']);
  });

  it.each([
    ['2099-03-01', '2099-03-01T00:00:00.000Z'],
    ['2099-03-01T12:30Z', '2099-03-01T12:30:00.000Z'],
    ['2099-03-01T12:30:15.5+02:00', '2099-03-01T10:30:15.500Z'],
    ['2099-03-01T12:30:15', '2099-03-01T12:30:15.000Z'],
  ])('the time %s is %s', async (expiresAt, meant) => {
    const answer = await api.admin('POST', '/api/api-keys', { name: 'a', role: 'client', expiresAt });
    expect([answer.status, answer.body.expiresAt]).toEqual([201, meant]);
  });
});

describe('too much', () => {
  it('a body over the limit is 413, one under it is read', async () => {
    const large = (bytes: number) => JSON.stringify({ ...user(), more: 'x'.repeat(bytes) });
    expectProblem(await post(large(1_200_000)), 413, 'TOO_LARGE', '/api/users');
    expectProblem(await post(large(1_100_000)), 400, 'VALIDATION_FAILED', '/api/users');
  });

  it('a body that does not say how large it is gets no further', async () => {
    const chunk = 'x'.repeat(100_000);
    const chunks = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(14);
    const head =
      'POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\n';
    const answer = await rawRequest(api.url, `${head}transfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    expectProblem(answer, 413, 'TOO_LARGE', '/api/auth/login');
  });

  it('nesting over 100 is 422, 100 is read', async () => {
    const nested = (levels: number) => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
    expectProblem(await post(nested(101)), 422, 'TOO_DEEP', '/api/users');
    expectProblem(await post(nested(100)), 400, 'VALIDATION_FAILED', '/api/users');
    expectProblem(await post('['.repeat(600_000)), 422, 'TOO_DEEP', '/api/users');
  });

  it('headers that are too large are 431', async () => {
    expectProblem(
      await rawRequest(api.url, `GET /healthz HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`),
      431,
      'HEADERS_TOO_LARGE',
      '',
    );
    expectProblem(
      await rawRequest(api.url, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`),
      431,
      'HEADERS_TOO_LARGE',
      '',
    );
  });

  it('a long address is refused, not choked on', async () => {
    const long = 'a'.repeat(10_000);
    expectProblem(await api.admin('GET', `/api/users?x=${long}`), 400, 'VALIDATION_FAILED', '/api/users');
    expectProblem(await api.admin('GET', `/${long}`), 404, 'NOT_FOUND', `/${long}`);
    expect((await api.admin('PATCH', `/api/users/${long}`, {})).status).toBe(414);
  });
});

describe('what is hardly a request', () => {
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a method that nobody knows', 'FOO / HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('%s is 400', async (_what, bytes) => {
    expectProblem(await rawRequest(api.url, bytes), 400, 'BAD_REQUEST', '');
  });

  it.each(['%', '%zz', '%c3%28', '%ed%a0%80'])('a path that cannot be decoded (%s) is 400', async (text) => {
    const request = `PATCH /api/users/${text} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
    expectProblem(await rawRequest(api.url, request), 400, 'BAD_REQUEST', `/api/users/${text}`);
  });
});

describe('a query that is not what the list takes', () => {
  const lists = [
    '/api/users',
    '/api/api-keys',
    '/api/managers',
    '/api/schedules',
    '/api/tasks',
    '/api/events',
  ];

  it.each(lists)('%s: the limit is a whole number from 1 to 500', async (list) => {
    for (const limit of ['0', '-1', '501', 'abc', '1.5', '', 'Infinity', 'NaN', '1&limit=2', '[]']) {
      const answer = await api.admin('GET', `${list}?limit=${limit}`);
      expectProblem(answer, 400, 'VALIDATION_FAILED', list);
      expect(fields(answer)).toContain('limit');
    }
    expect((await api.admin('GET', `${list}?limit=500`)).status).toBe(200);
  });

  it.each(lists)('%s: the cursor is one of its own', async (list) => {
    const made = (key: unknown) => Buffer.from(JSON.stringify(key)).toString('base64url');
    const id = randomUUID();
    const time = '2026-01-01 00:00:00+00';
    const bad = [
      '',
      'x',
      '%00',
      made(null),
      made([]),
      made({}),
      made([time]),
      made([time, 'x']),
      made([[time], id]),
    ];
    const absurd = [
      '2026-02-30 00:00:00+00',
      '9999-99-99 99:99:99+00',
      '294277-01-01 00:00:00+00',
      "' OR 1=1",
      '-1',
    ];
    const seqs = [['1'], [1.5], [1e300], [-1, 2]];
    for (const cursor of [...bad, ...absurd.map((text) => made([text, id])), ...seqs.map(made)]) {
      expectProblem(await api.admin('GET', `${list}?cursor=${cursor}`), 400, 'BAD_CURSOR', list);
    }
    const long = await api.admin('GET', `${list}?cursor=${'x'.repeat(501)}`);
    expectProblem(long, 400, 'VALIDATION_FAILED', list);
  });

  it.each(lists)('%s: there is no other parameter', async (list) => {
    for (const query of ['x=1', 'limit[]=1', 'offset=5', 'constructor=1']) {
      expectProblem(await api.admin('GET', `${list}?${query}`), 400, 'VALIDATION_FAILED', list);
    }
  });

  it.each([
    '/api/events?eventType=x',
    '/api/events?severity=loud',
    '/api/events?managerId=x',
    '/api/events?from=yesterday',
    '/api/events?to=2026-W05',
    '/api/events?afterSeq=-1',
    '/api/events?afterSeq=1e300',
    `/api/events?actor=${'x'.repeat(201)}`,
    '/api/schedules?status=asleep',
    '/api/schedules?from=2026-02-30',
    '/api/tasks?taskType=x',
    '/api/tasks?scheduleId=1',
    '/api/managers?status=x',
    '/api/managers?registrationStatus=x',
  ])('%s', async (url) => {
    expectProblem(await api.admin('GET', url), 400, 'VALIDATION_FAILED', url.split('?')[0]!);
  });
});

it('refusals come in the order: who are you, may you, what do you want', async () => {
  expect(refusal(await api.nobody('PATCH', '/api/users/x', { nonsense: 1 }))).toBe('401 UNAUTHORIZED');
  const { client } = await api.user('viewer');
  expect(refusal(await client('PATCH', '/api/users/x', { nonsense: 1 }))).toBe('403 FORBIDDEN');
});

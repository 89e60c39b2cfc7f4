import { writeFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { accessTable, isUndescribed, rolesOf } from './support/access-table.js';
import {
  committedDescription,
  descriptionFile,
  expectDescribed,
  type Description,
} from './support/described.js';
import { useApi } from './support/use-api.js';

const api = useApi();
let served: Description;

beforeAll(async () => {
  served = (await api.nobody('GET', '/api/openapi.json')).body as Description;
  if (process.env.UPDATE_OPENAPI) writeFileSync(descriptionFile, `${JSON.stringify(served, null, 2)}\n`);
});

const routes = accessTable.filter((row) => !isUndescribed(row));
const operationOf = (path: string, method: string) =>
  served.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];

it('is a valid OpenAPI 3.1 document', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(served) as never);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(served.openapi).toMatch(/^3\.1\./);
});

it('refers to nothing that it does not hold', () => {
  const referred = [...JSON.stringify(served).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name!,
  );
  expect(referred.filter((name) => !(name in served.components.schemas))).toEqual([]);
});

it('is the committed docs/openapi.json (UPDATE_OPENAPI=1 writes it)', () => {
  expect(committedDescription()).toEqual(served);
});

it('holds every route of the API, and no other', () => {
  const holds = Object.entries(served.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(holds.sort()).toEqual(routes.map(({ route }) => route).sort());
});

describe('says all that a caller must know', () => {
  it.each(routes.map((row) => [row.route, row] as const))('of %s', (_route, row) => {
    const operation = operationOf(row.path, row.method)!;
    const statuses = Object.keys(operation.responses);
    const takesBody = row.method === 'POST' || row.method === 'PATCH';

    expect(operation.summary).toMatch(/\w/);
    expect(operation.tags).toHaveLength(1);
    expect(operation['x-roles']).toEqual(rolesOf(row));
    const isPublic = row.verdicts.nobody === 'ok';
    expect(operation.security).toEqual(
      isPublic ? [] : expect.arrayContaining([{ bearer: [] }, { cookie: [] }]),
    );

    if (takesBody && row.path !== '/api/auth/logout') {
      expect(operation.requestBody?.content['application/json']?.schema).toHaveProperty('$ref');
    }
    const named = [...row.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    const parameters = operation.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
    expect(parameters.map(({ name }) => name)).toEqual(named);

    const success = statuses.filter((status) => status < '300');
    expect(success).toHaveLength(1);
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(response.description).toMatch(/\w/);
      const content = Object.entries(response.content ?? {});
      expect(content).toHaveLength(status === '204' ? 0 : 1);
      for (const [type, { schema }] of content) {
        expect(type).toBe(status < '300' ? 'application/json' : 'application/problem+json');
        expect(isEmpty(schema)).toBe(false);
      }
    }
    const expected = [
      '429',
      '503',
      ...(isPublic ? [] : ['401', '403']),
      ...(named.length > 0 ? ['400', '404'] : []),
    ];
    if (operation.requestBody) expected.push('400', '409', '413', '415', '422');
    expect(statuses).toEqual(expect.arrayContaining(expected));
  });

  it('of every message and each of its fields', () => {
    expect(emptySchemas(served.components.schemas)).toEqual([]);
    expect(
      emptySchemas({ nothing: {}, object: { type: 'object' }, field: { properties: { x: {} } } }),
    ).toEqual(['nothing', 'object', 'field.properties.x']);
  });
});

describe('holds for what is really answered', () => {
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8' });
  const user = { id: '11111111-1111-4111-8111-111111111111', username: 'a', role: 'client' };
  const me = { user, expiresAt: null };

  it.each([
    ['a field is missing', { user }],
    ['a field is of another type', { ...me, expiresAt: 5 }],
    ['a field is not described', { ...me, passwordHash: 'x' }],
    ['a nested field is not described', { ...me, user: { ...user, passwordHash: 'x' } }],
    ['a value is not one of those described', { ...me, user: { ...user, role: 'king' } }],
  ])('so it shows when %s', (_what, body) => {
    expectDescribed('GET', '/api/auth/me', { status: 200, headers, body: me });
    expect(() => expectDescribed('GET', '/api/auth/me', { status: 200, headers, body })).toThrow();
  });

  it('so it shows when a status or a content type is not described', () => {
    expect(() => expectDescribed('GET', '/api/auth/me', { status: 418, headers, body: me })).toThrow();
    const plain = new Headers({ 'content-type': 'text/plain' });
    expect(() => expectDescribed('GET', '/api/auth/me', { status: 200, headers: plain, body: me })).toThrow();
  });
});

describe('can be read by whoever comes along', () => {
  it('as JSON, as YAML and as a page, without signing in', async () => {
    expect((await api.nobody('GET', '/api/openapi.json')).headers.get('content-type')).toMatch(
      /^application\/json/,
    );
    expect((await api.nobody('GET', '/api/openapi.yaml')).body).toMatch(/^openapi: 3\.1/);
    const page = await api.nobody('GET', '/api/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/html/),
    ]);
  });

  it('on a page whose scripts and styles are all served here', async () => {
    const page = (await api.nobody('GET', '/api/docs/')).body as string;
    const assets = [...page.matchAll(/(?:src|href)="\.?\/?([^"#]+)"/g)].map(([, asset]) => asset!);
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      expect(asset).not.toMatch(/^(https?:)?\/\//);
      expect([asset, (await api.nobody('GET', `/api/docs/${asset}`)).status]).toEqual([asset, 200]);
    }
    expect(page).not.toMatch(/<script>/);
  });
});

type Schema = Record<string, unknown>;

/** Paths of schemas that say nothing: `{}`, and an object of which neither fields nor openness are known. */
function emptySchemas(schemas: Record<string, object>, at = ''): string[] {
  return Object.entries(schemas).flatMap(([name, schema]) => {
    const path = at ? `${at}.${name}` : name;
    if (isEmpty(schema)) return [path];
    const { properties, items, anyOf } = schema as Schema;
    return [
      ...emptySchemas((properties as Record<string, object>) ?? {}, `${path}.properties`),
      ...emptySchemas(items ? { items: items as object } : {}, path),
      ...emptySchemas(Object.fromEntries(Object.entries((anyOf as object[]) ?? [])), `${path}.anyOf`),
    ];
  });
}

function isEmpty(schema: object): boolean {
  const { type, properties, additionalProperties } = schema as Schema;
  if (Object.keys(schema).length === 0) return true;
  return type === 'object' && properties === undefined && additionalProperties === undefined;
}

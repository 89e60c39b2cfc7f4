import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { projectRoot } from '@muster/data/project-root';
import { roles } from '@muster/domain/roles';
import { Metrics } from '../../apps/api/src/http/metrics.js';

type Calls = Record<string, { readonly 'x-roles': readonly string[] }>;

const read = (file: string) => readFileSync(path.join(projectRoot(), 'docs', file), 'utf8');

/** The cells of every table row of a page whose first cell matches, without its marks. */
function rowsOf(file: string, first: RegExp): string[][] {
  return read(file)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', ''))
        .slice(1, -1),
    )
    .filter(([cell]) => first.test(cell!));
}

it('docs/security.md says of every call who may make it', () => {
  const { paths } = JSON.parse(read('openapi.json')) as { paths: Record<string, Calls> };
  const described = Object.entries(paths).flatMap(([route, calls]) =>
    Object.entries(calls).map(([method, { 'x-roles': allowed }]) => [
      `${method.toUpperCase()} ${route}`,
      ...roles.map((role) => (allowed.includes(role) || allowed.includes('anyone') ? '●' : '')),
    ]),
  );
  expect(rowsOf('security.md', /^(GET|POST|PUT|PATCH|DELETE) \/api/).sort()).toEqual(described.sort());
});

it('docs/operations.md explains every metric', () => {
  const metrics = new Metrics();
  metrics.watch({ database: { breaker: {} }, leadership: {} } as never);
  const names = metrics.registry
    .getMetricsAsArray()
    .map(({ name }) => name)
    .filter((name) => name.startsWith('muster_'));
  expect(
    rowsOf('operations.md', /^muster_\w+$/)
      .map(([name]) => name)
      .sort(),
  ).toEqual(names.sort());
});

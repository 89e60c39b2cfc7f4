import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '@muster/data/project-root';

const root = projectRoot();
const RULE = 'eslint(no-restricted-imports)';

/** Who imports what, one line for each side of every border: apps → data | sdk → protocol → domain. */
const refused: Array<[file: string, imported: string]> = [
  ['libs/domain/src/x.ts', '@muster/protocol/problem'],
  ['libs/domain/src/x.ts', '@nestjs/common'],
  ['libs/domain/src/x.ts', 'class-validator'],
  ['libs/domain/src/x.ts', 'node:fs'],
  ['libs/domain/src/x.ts', '../../protocol/src/problem.js'],
  ['libs/domain/src/x.spec.ts', '@muster/data/database'],
  ['libs/protocol/src/x.ts', '@muster/data/database'],
  ['libs/protocol/src/x.ts', '@muster/sdk/client'],
  ['libs/protocol/src/x.ts', '@nestjs/common'],
  ['libs/protocol/src/x.ts', 'pg'],
  ['libs/data/src/x.ts', '@muster/sdk/client'],
  ['libs/data/src/x.ts', '@muster/api/settings'],
  ['libs/data/src/x.ts', 'fastify'],
  ['libs/data/src/deep/x.ts', '../../../../apps/api/src/settings.js'],
  ['libs/sdk/src/x.ts', '@muster/data/database'],
  ['libs/sdk/src/x.ts', '@prisma/client'],
  ['apps/api/src/x.ts', '@muster/local/run'],
  ['apps/api/src/x.ts', '../../local/src/run.js'],
  ['apps/api/src/deep/x.ts', '../../../../libs/data/src/database.js'],
  ['apps/api/src/deep/x.ts', '../../../../dist/libs/data/src/database.js'],
  ['apps/api/src/x.ts', 'pg'],
  ['apps/local/src/x.ts', '@muster/api/settings'],
  ['apps/local/src/x.ts', '../../console/server/front.js'],
  ['apps/console/src/x.tsx', '@muster/data/database'],
  ['apps/console/src/x.tsx', '@muster/api/settings'],
  ['test/x/x.spec.ts', '../../libs/data/src/database.js'],
  ['test/x/x.spec.ts', '../../dist/libs/data/src/database.js'],
  ['bench/src/x.ts', '../../libs/data/src/database.js'],
];

const allowed: Array<[file: string, imported: string]> = [
  ['libs/domain/src/x.ts', './roles.js'],
  ['libs/domain/src/deep/x.ts', '../roles.js'],
  ['libs/domain/src/x.spec.ts', 'fast-check'],
  ['libs/protocol/src/x.ts', '@muster/domain/roles'],
  ['libs/protocol/src/x.ts', 'class-validator'],
  ['libs/data/src/x.ts', '@muster/protocol/problem'],
  ['libs/data/src/x.ts', 'pg'],
  ['libs/data/src/x.spec.ts', '../../../test/support/database.js'],
  ['libs/sdk/src/x.ts', '@muster/protocol/problem'],
  ['apps/api/src/x.ts', '@muster/data/database'],
  ['apps/api/src/deep/x.ts', '../runtime.js'],
  ['apps/console/src/x.tsx', '@muster/domain/roles'],
  ['test/x/x.spec.ts', '../../apps/api/src/runtime.js'],
  ['test/support/x.mjs', '../../dist/libs/data/src/database.js'],
];

describe('the direction of dependencies', () => {
  let folder: string;
  let found: string[];

  /** A tree of the same shape with the same configuration: every import stands in a file of its own. */
  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'muster-house-'));
    copyFileSync(path.join(root, '.oxlintrc.json'), path.join(folder, '.oxlintrc.json'));
    for (const [file, imported] of [...refused, ...allowed]) {
      const place = path.join(folder, placeOf(file, imported));
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, `import '${imported}';\n`);
    }
    found = lint(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(refused)('%s may not import %s', (file, imported) => {
    expect(found).toContainEqual(placeOf(file, imported));
  });

  it.each(allowed)('%s may import %s', (file, imported) => {
    expect(found).not.toContainEqual(placeOf(file, imported));
  });

  it('holds for a type and for a re-export as well', () => {
    const place = path.join(folder, 'libs/protocol/src/more.ts');
    for (const line of [
      `import type { Database } from '@muster/data/database';`,
      `export { Database } from '@muster/data/database';`,
      `export * from '@muster/data/database';`,
      `await import('@muster/data/database');`,
    ]) {
      writeFileSync(place, `${line}\n`);
      expect(lint(folder)).toContain('libs/protocol/src/more.ts');
    }
  });

  it('is known for every library and every program', () => {
    const folders = ['libs', 'apps'].flatMap((side) =>
      readdirSync(path.join(root, side)).map((name) => `${side}/${name}/`),
    );
    const unknown = folders.filter((name) => !refused.some(([file]) => file.startsWith(name)));
    expect(unknown).toEqual([]);
  });

  it('holds in this tree', () => {
    expect(lint(root)).toEqual([]);
  });
});

/** The name tells the imports of one file apart; which rule applies is decided by the folder and the ending. */
function placeOf(file: string, imported: string): string {
  return file.replace(/x(?=\.[^/]+$)/, `x-${imported.replace(/\W+/g, '-')}`);
}

/** The files that break the rule. */
function lint(folder: string): string[] {
  const program = path.join(root, 'node_modules/oxlint/bin/oxlint');
  const { stdout } = spawnSync(process.execPath, [program, '--format=json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Array<{ code: string; filename: string }> };
  return diagnostics.filter(({ code }) => code === RULE).map(({ filename }) => filename);
}

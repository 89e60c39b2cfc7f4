import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { handlerFiles, pagePaths } from './pages.js';

describe('every page and route of the console', () => {
  it('is found', () => {
    expect(pagePaths()).toEqual(expect.arrayContaining(['/', '/managers', '/settings/users']));
  });

  it.each(handlerFiles())('%s asks for the session itself, before anything else', (file) => {
    const source = readFileSync(file, 'utf8');
    const handlers = source.match(/export (default )?async function [^{]+\{\s*[^;]+;/g) ?? [];
    expect(handlers.length).toBeGreaterThan(0);
    for (const handler of handlers) expect(handler).toMatch(/\{\s*(const \w+ = )?await requireSession\(/);
  });
});

import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { nestsDeeperThan } from './body.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('nestsDeeperThan', () => {
  it('agrees with the parsed value on any JSON', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 8, noUnicodeString: false }),
        fc.integer({ min: 0, max: 6 }),
        (value, limit) => {
          expect(nestsDeeperThan(JSON.stringify(value), limit)).toBe(depthOf(value) > limit);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is not fooled by brackets and quotes in strings', () => {
    expect(nestsDeeperThan(JSON.stringify({ text: '[[[["\\"[[[[' + '['.repeat(300) }), 3)).toBe(false);
  });

  it('draws the line between 100 and 101', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect([nestsDeeperThan(nested(100), 100), nestsDeeperThan(nested(101), 100)]).toEqual([false, true]);
  });
});

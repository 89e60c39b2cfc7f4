import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isTime, timeOf } from './time.js';

describe('a time in a request', () => {
  it.each([
    ['2026-11-18', '2026-11-18T00:00:00.000Z'],
    ['2026-11-18T09:30', '2026-11-18T09:30:00.000Z'],
    ['2026-11-18T09:30:15.123456', '2026-11-18T09:30:15.123Z'],
    ['2026-11-18T09:30:15Z', '2026-11-18T09:30:15.000Z'],
    ['2026-11-18T09:30:15-05:30', '2026-11-18T15:00:15.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('%s is %s, wherever the server stands', (text, meant) => {
    expect(isTime(text)).toBe(true);
    expect(timeOf(text).toISOString()).toBe(meant);
  });

  it.each([
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '0000-01-01',
    '2026-11-18T24:00',
    '2026-11-18T09:60',
    '2026-11-18 09:30',
    '20261118',
    '2026-W05',
    '2026-11-18T09:30+15:00',
    '2026-11-18T09:30:60Z',
    '',
  ])('%s is none', (text) => {
    expect(isTime(text)).toBe(false);
  });

  it('is what JavaScript writes, and whatever passes names a moment', () => {
    const years = { min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(years), (date) => {
        expect(isTime(date.toISOString())).toBe(true);
        expect(timeOf(date.toISOString())).toEqual(date);
      }),
    );
    fc.assert(
      fc.property(
        fc.stringMatching(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/),
        (text) => {
          if (isTime(text)) expect(timeOf(text).getTime()).not.toBeNaN();
        },
      ),
      { numRuns: 500 },
    );
  });
});

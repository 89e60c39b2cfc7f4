import { describe, expect, it } from '@jest/globals';
import { relativeTime } from './relative-time';

describe('relativeTime', () => {
  const now = Date.UTC(2026, 5, 1);
  const seconds = (n: number) => relativeTime(now + n * 1_000, now);

  it.each([
    [-3, 'just now'],
    [4, 'just now'],
    [-42, '42 sec. ago'],
    [-600, '10 min. ago'],
    [-7_200, '2 hr. ago'],
    [3 * 86_400, 'in 3 days'],
    [-400 * 86_400, '13 mo. ago'],
  ])('says for %d seconds: %s', (offset, words) => {
    expect(seconds(offset)).toBe(words);
  });
});

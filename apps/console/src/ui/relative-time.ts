const UNITS: [limit: number, seconds: number, name: Intl.RelativeTimeFormatUnit][] = [
  [90, 1, 'second'],
  [90 * 60, 60, 'minute'],
  [36 * 3_600, 3_600, 'hour'],
  [45 * 86_400, 86_400, 'day'],
  [550 * 86_400, 30.4 * 86_400, 'month'],
  [Infinity, 365.25 * 86_400, 'year'],
];

const format = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

/** "in 3 days", "20 min. ago"; within the resolution of the clock, "just now". */
export function relativeTime(at: number, now: number): string {
  const seconds = (at - now) / 1_000;
  if (Math.abs(seconds) < 10) return 'just now';
  const [, size, name] = UNITS.find(([limit]) => Math.abs(seconds) < limit)!;
  return format.format(Math.round(seconds / size), name);
}

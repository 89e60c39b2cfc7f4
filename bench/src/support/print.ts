import type { Report } from './benchmark.js';

const COLUMNS = ['', 'per second', 'p50 ms', 'p99 ms', 'CPU µs each', 'rows per statement'];

/** A report for people: the table, who is how many times whom, and whether the aims are met. */
export function print({ benchmark, conditions, standings, ratios, aims }: Report): string {
  const rows = standings.map(({ key, label, perSecond, p50Ms, p99Ms, cpuMicros, batch }) => [
    `${key}  ${label}`,
    Math.round(perSecond).toLocaleString('en-US'),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    cpuMicros.toFixed(0),
    batch.toFixed(1),
  ]);
  const conditionsText = Object.entries(conditions).map(([name, value]) => `${name}: ${value}`);
  return [
    `${benchmark} (${conditionsText.join(', ')})`,
    '',
    ...table([COLUMNS, ...rows]),
    '',
    ...ratios.map(
      ({ text, median, lowest, highest }) =>
        `${text} = ${median.toFixed(2)}  (rounds: ${lowest.toFixed(2)} to ${highest.toFixed(2)})`,
    ),
    '',
    ...aims.map(({ text, met }) => `${met ? 'met   ' : 'missed'}  ${text}`),
  ].join('\n');
}

function table(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
}

/** What one contestant did in one round. */
export interface Turn {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the measured process for each operation; what the load and PostgreSQL took is not in it. */
  readonly cpuMicros: number;
  /** Rows that one statement carried. */
  readonly batch: number;
}

export interface Standing extends Turn {
  readonly key: string;
  readonly label: string;
  readonly turns: readonly Turn[];
}

export interface Ratio {
  readonly text: string;
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Each figure is the median of the rounds, so that one bad round says nothing. */
export function standingOf(key: string, label: string, turns: readonly Turn[]): Standing {
  const of = (figure: keyof Turn) => median(turns.map((turn) => turn[figure]));
  return {
    key,
    label,
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    cpuMicros: of('cpuMicros'),
    batch: of('batch'),
    turns,
  };
}

/** Compared within each round: whatever else the machine did then, it did to both. */
export function ratioOf(ours: Standing, theirs: Standing): Ratio {
  const ratios = ours.turns.map((turn, round) => turn.perSecond / theirs.turns[round]!.perSecond);
  return {
    text: `${ours.key} / ${theirs.key}`,
    median: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

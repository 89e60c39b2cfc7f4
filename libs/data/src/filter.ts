/** What narrows a list down. */
export interface Filter {
  /** Column = value; what is undefined does not filter. */
  readonly where: Readonly<Record<string, string | boolean | undefined>>;
  /** From inclusive, to exclusive. */
  readonly from?: string;
  readonly to?: string;
}

/** The conditions of a statement that is put together as it goes, and the values that they name. */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly conditions: string[] = [];

  /** `time` is the column that `from` and `to` are about. */
  constructor({ where, from, to }: Filter, time: string) {
    for (const [column, value] of Object.entries(where)) {
      if (value !== undefined) this.add(`${column} = ${this.bind(value)}`);
    }
    if (from !== undefined) this.add(`${time} >= ${this.bind(from)}::timestamptz`);
    if (to !== undefined) this.add(`${time} < ${this.bind(to)}::timestamptz`);
  }

  /** The place of a value in the statement. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  add(condition: string): void {
    this.conditions.push(condition);
  }

  toString(): string {
    return this.conditions.length > 0 ? `WHERE ${this.conditions.join(' AND ')}` : '';
  }
}

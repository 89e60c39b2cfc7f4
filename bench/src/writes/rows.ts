import { randomUUID } from 'node:crypto';
import { CoalescingWriter } from '@muster/data/coalescing-writer';
import type { Handle } from '@muster/data/statement';
import type { Postgres } from '../support/postgres.js';

/** What a request asks to be kept: the size and shape of a small job. */
export interface Wish {
  readonly name: string;
  readonly priority: number;
  readonly data: object;
}

export interface Kept {
  readonly id: string;
}

interface Row extends Wish, Kept {}

export interface Figures {
  readonly statements: number;
  readonly rows: number;
}

export async function createTable({ owner }: Postgres): Promise<void> {
  await owner.query(`
    CREATE TABLE bench_rows (
      id uuid PRIMARY KEY,
      name text NOT NULL,
      priority int NOT NULL,
      data jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    GRANT SELECT, INSERT ON bench_rows TO muster_app`);
}

/** The two ways to keep a row. Either answers when the row is committed, never before. */
export class Rows {
  private readonly writer: CoalescingWriter<Row, Row>;
  private statements = 0;
  private rows = 0;

  constructor(
    private readonly handle: Handle,
    onBatch: (size: number) => void = () => {},
  ) {
    this.writer = new CoalescingWriter({
      name: 'bench_rows',
      write: (rows) => this.insertMany(rows),
      onBatch,
    });
  }

  get figures(): Figures {
    return { statements: this.statements, rows: this.rows };
  }

  /** Together with whatever else arrives meanwhile, in one statement and one commit. */
  async keepCoalesced(wish: Wish): Promise<Kept> {
    const { id } = await this.writer.write({ id: randomUUID(), ...wish });
    return { id };
  }

  /** By a statement and a commit of its own. */
  async keepAlone({ name, priority, data }: Wish): Promise<Kept> {
    const id = randomUUID();
    this.count(1);
    await this.handle.query({
      name: 'bench_insert_one',
      text: 'INSERT INTO bench_rows (id, name, priority, data) VALUES ($1, $2, $3, $4)',
      values: [id, name, priority, JSON.stringify(data)],
    });
    return { id };
  }

  private async insertMany(rows: Row[]): Promise<Row[]> {
    this.count(rows.length);
    await this.handle.query({
      name: 'bench_insert_many',
      text: `
        INSERT INTO bench_rows (id, name, priority, data)
        SELECT id, name, priority, data::jsonb
        FROM unnest($1::uuid[], $2::text[], $3::int[], $4::text[]) AS r(id, name, priority, data)`,
      values: [
        rows.map((row) => row.id),
        rows.map((row) => row.name),
        rows.map((row) => row.priority),
        rows.map((row) => JSON.stringify(row.data)),
      ],
    });
    return rows;
  }

  private count(rows: number): void {
    this.statements++;
    this.rows += rows;
  }
}

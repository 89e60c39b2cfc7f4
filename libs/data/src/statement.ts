/** One SQL statement. With a name it is prepared once per connection, which the hot paths want. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Anything that a statement can run on: the pool (autocommit) or an open transaction. */
export interface Handle {
  query<Row>(statement: Statement): Promise<Row[]>;
}

/**
 * A state machine as plain data. `libs/domain` decides by it, PostgreSQL guards by a copy of it
 * (`legal_transitions`), and a test proves the two equal.
 */
export interface StateMachine<State extends string> {
  readonly name: string;
  /** The states a row may be born in. */
  readonly initial: readonly State[];
  readonly transitions: Readonly<Record<State, readonly State[]>>;
}

/** What a transition function decides: applied by one conditional statement, or not at all. */
export interface StateChange<State extends string> {
  readonly from: State;
  readonly to: State;
  readonly actor: string;
  readonly reason?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Who causes a transition and why; it ends up in the history row. */
export type Cause = Pick<StateChange<string>, 'actor' | 'reason' | 'metadata'>;

export class IllegalTransition extends Error {
  constructor(
    readonly machine: string,
    readonly from: string | null,
    readonly to: string,
  ) {
    super(`A ${machine} cannot go from ${from ?? 'nothing'} to ${to}`);
  }
}

export function statesOf<State extends string>(machine: StateMachine<State>): State[] {
  return Object.keys(machine.transitions) as State[];
}

/** `from` is null for a row that is being born. */
export function allows<State extends string>(
  machine: StateMachine<State>,
  from: State | null,
  to: State,
): boolean {
  return (from === null ? machine.initial : machine.transitions[from]).includes(to);
}

/** The one place where a change comes into being: every named transition goes through it. */
export function change<State extends string>(
  machine: StateMachine<State>,
  from: State,
  to: State,
  cause: Cause,
): StateChange<State> {
  if (!allows(machine, from, to)) throw new IllegalTransition(machine.name, from, to);
  return { from, to, ...cause };
}

import styles from './state.module.css';

export type Tone = 'good' | 'busy' | 'wait' | 'bad' | 'rest' | 'alarm';

/** One of the values that a status can have, as it is shown. */
export interface StateOption<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly tone: Tone;
}

/** A state: its colour for the glance, its word for everyone. */
export function State({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={styles.state} data-tone={tone}>
      {children}
    </span>
  );
}

/** The state that `value` stands for; one that this console does not know yet shows its own name. */
export function StateOf<Value extends string>(props: {
  options: readonly StateOption<Value>[];
  value: Value;
}) {
  const option = props.options.find(({ value }) => value === props.value);
  return <State tone={option?.tone ?? 'rest'}>{option?.label ?? props.value}</State>;
}

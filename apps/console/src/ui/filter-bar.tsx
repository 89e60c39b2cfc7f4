'use client';

import { useSearchParams } from 'next/navigation';
import styles from './filter-bar.module.css';

export interface FilterOption<Value extends string> {
  value: Value;
  label: string;
}

/** A filter that lives in the address, so that a reload, a bookmark and a colleague see the same list. */
export function useFilter<Value extends string>(
  name: string,
  options: readonly FilterOption<Value>[],
): [Value | undefined, (value: Value | undefined) => void] {
  const params = useSearchParams();
  const chosen = options.find((option) => option.value === params.get(name))?.value;

  function choose(value: Value | undefined): void {
    const next = new URLSearchParams(params);
    if (value) next.set(name, value);
    else next.delete(name);
    window.history.replaceState(null, '', next.size > 0 ? `?${next}` : window.location.pathname);
  }
  return [chosen, choose];
}

interface FilterBarProps<Value extends string> {
  label: string;
  options: readonly FilterOption<Value>[];
  chosen: Value | undefined;
  onChoose: (value: Value | undefined) => void;
}

export function FilterBar<Value extends string>({ label, options, chosen, onChoose }: FilterBarProps<Value>) {
  return (
    <div role="group" aria-label={label} className={styles.bar}>
      <span className={styles.label} aria-hidden>
        {label}
      </span>
      <button type="button" aria-pressed={chosen === undefined} onClick={() => onChoose(undefined)}>
        All
      </button>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={chosen === option.value}
          onClick={() => onChoose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

import { useSyncExternalStore } from 'react';

const TICK_MS = 5_000;
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function watch(onTick: () => void): () => void {
  watchers.add(onTick);
  timer ??= setInterval(() => {
    now = Date.now();
    watchers.forEach((watcher) => watcher());
  }, TICK_MS);
  return () => {
    watchers.delete(onTick);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, a few seconds coarse: one timer for everything on the screen that says "ago". */
export function useNow(): number {
  return useSyncExternalStore(
    watch,
    () => now,
    () => now,
  );
}

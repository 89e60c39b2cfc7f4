/**
 * One request to stop can arrive several times: a signal to the process group reaches us directly, and
 * again by way of npm and of the script that started us. Only what comes later is a second request.
 */
const sameRequestMs = 1_000;

/** Calls `stop` for the first request to end, and `hurry` when the user asks again. */
export function onStopRequest(stop: () => void, hurry: () => void): void {
  let firstAt: number | undefined;
  const request = () => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      stop();
    } else if (performance.now() - firstAt > sameRequestMs) {
      hurry();
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request);
}

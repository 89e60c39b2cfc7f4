const live = process.stdout.isTTY;
const tickMs = live ? 1_000 : 30_000;

/** Shows what is being done for as long as it takes, and how long it took. */
export async function step(title, work) {
  const startedAt = performance.now();
  const seconds = (digits) => ((performance.now() - startedAt) / 1_000).toFixed(digits);
  const show = (text) => process.stdout.write(live ? `\r\u001b[K${text}` : `${text}\n`);

  show(`${title} …`);
  const timer = setInterval(() => show(`${title} … still working (${seconds(0)} s)`), tickMs);
  let outcome = 'failed after';
  try {
    const result = await work();
    outcome = 'done in';
    return result;
  } finally {
    clearInterval(timer);
    show(`${title}: ${outcome} ${seconds(1)} s`);
    if (live) process.stdout.write('\n');
  }
}

import { isMainThread } from 'node:worker_threads';

// Loaded into each of our Node programs before its own code (see program.ts). The channel to the
// supervisor closes when that ends, however it ends; nobody would stop this process after that, so
// it stops itself, in good order if it can.
if (isMainThread && process.connected) {
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), 10_000).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  process.channel?.unref();
}

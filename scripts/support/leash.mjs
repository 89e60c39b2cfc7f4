import { isMainThread } from 'node:worker_threads';

// Loaded into a program before its own code by whoever starts it. The channel to that process closes
// when it ends, however it ends. Nobody would stop this program after that, so it stops itself, in
// good order if it can. Its own children inherit the loading, but their channel is none of our business.
const isOurs = isMainThread && process.connected && process.env.MUSTER_LEASH === String(process.ppid);

if (isOurs) {
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), 15_000).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  process.channel?.unref();
}

import type { Queue as QueueOptions } from 'pg-boss';

export const QUEUE_SCHEMA = 'pgboss';

/** What a job of each queue carries: a hint where to look. What is due stands in our own tables. */
export interface QueuePayloads {
  'clean-expired': Record<string, never>;
}

export type QueueName = keyof QueuePayloads;

export interface QueueDefinition {
  readonly options: Omit<QueueOptions, 'name'>;
  /** UTC. Any number of processes may run: one occurrence makes one job. */
  readonly cron?: string;
}

/** Every queue there is. The migrator makes them; the application only uses them. */
export const QUEUES: Readonly<Record<QueueName, QueueDefinition>> = {
  'clean-expired': {
    options: {
      // One at a time is enough; a second request while one waits or runs adds nothing.
      policy: 'exclusive',
      notify: true,
      retryLimit: 2,
      retryDelay: 5,
      retryBackoff: true,
      expireInSeconds: 300,
      retentionSeconds: 3_600,
      deleteAfterSeconds: 3_600,
    },
    cron: '*/10 * * * *',
  },
};

export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

import type { Database } from '@muster/data/database';
import type { Leadership } from '@muster/data/leadership';
import type { Queue } from '@muster/data/queue/queue';
import type { SignalBus } from '@muster/data/signal-bus';
import type { Logger } from 'pino';
import type { Readiness } from './health/readiness.js';
import type { Settings } from './settings.js';

/**
 * What one API process is made of. It is put together and taken apart by main.ts, in an order that matters;
 * Nest only hands the parts to those who ask for them.
 */
export interface Runtime {
  readonly settings: Settings;
  readonly log: Logger;
  readonly database: Database;
  readonly bus: SignalBus;
  readonly queue: Queue;
  readonly leadership: Leadership;
  readonly readiness: Readiness;
}

/** Injection tokens for the parts that are plain values or come from libs/data. */
export const SETTINGS = Symbol('settings');
export const LOG = Symbol('log');

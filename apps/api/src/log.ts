import type { LoggerService } from '@nestjs/common';
import { pino, stdTimeFunctions, type Logger } from 'pino';

/** Wherever one of these names turns up in what is logged, its value does not. */
const SECRETS = [
  'password',
  'secret',
  'key',
  'token',
  'accessToken',
  'authorization',
  'cookie',
  'passwordHash',
  'secretHash',
  'keyHash',
];

export function createLog(level: string, name: string): Logger {
  return pino({
    level,
    base: { name, pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: SECRETS.flatMap((secret) => [secret, `*.${secret}`, `*.*.${secret}`]),
      censor: '[hidden]',
    },
  });
}

/** Nest's own messages in the same stream. What it says while it wires itself up interests only who debugs that. */
export function nestLog(log: Logger): LoggerService {
  return {
    log: (message) => log.debug(String(message)),
    warn: (message) => log.warn(String(message)),
    error: (message) => log.error(String(message)),
  };
}

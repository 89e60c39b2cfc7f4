import type { LoggerService } from '@nestjs/common';
import { pino, stdSerializers, stdTimeFunctions, type Logger } from 'pino';

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
    serializers: { err: describeError },
    redact: {
      paths: SECRETS.flatMap((secret) => [secret, `*.${secret}`, `*.*.${secret}`]),
      censor: '[hidden]',
    },
  });
}

/** Prisma quotes the arguments of a call that it refuses, whatever they hold; of that only the reason is kept. */
export function describeError(error: Error): object {
  const described = stdSerializers.err(error);
  if (!described.type?.startsWith('PrismaClient')) return described;
  const [call, ...rest] = described.message.trim().split('\n\n');
  const frames = described.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: described.type,
    message: `${call?.split('\n')[0]} ${rest.at(-1)?.trim() ?? ''}`.trim(),
    stack: frames?.join('\n'),
  };
}

/** Nest's own messages in the same stream. What it says while it wires itself up interests only who debugs that. */
export function nestLog(log: Logger): LoggerService {
  return {
    log: (message) => log.debug(String(message)),
    warn: (message) => log.warn(String(message)),
    error: (message) => log.error(String(message)),
  };
}

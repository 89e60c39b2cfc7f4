import type { FastifyBaseLogger, FastifyLogFn } from 'fastify';
import type { Bindings, ChildLoggerOptions } from 'pino';

type Line = Parameters<FastifyLogFn>;

/**
 * The log of one request, which names it in every line. Hardly any request has something to say, and a logger
 * with bindings is dear to make (they pass through the redaction), so it is made with the first line.
 */
export class RequestLog implements FastifyBaseLogger {
  private made: FastifyBaseLogger | undefined;

  constructor(
    private readonly parent: FastifyBaseLogger,
    private readonly bindings: Bindings,
    private readonly options: ChildLoggerOptions,
  ) {}

  get level(): string {
    return this.log.level;
  }

  set level(level: string) {
    this.log.level = level;
  }

  fatal(...line: Line): void {
    this.log.fatal(...line);
  }

  error(...line: Line): void {
    this.log.error(...line);
  }

  warn(...line: Line): void {
    this.log.warn(...line);
  }

  info(...line: Line): void {
    this.log.info(...line);
  }

  debug(...line: Line): void {
    this.log.debug(...line);
  }

  trace(...line: Line): void {
    this.log.trace(...line);
  }

  silent(...line: Line): void {
    this.log.silent(...line);
  }

  child(bindings: Bindings, options?: ChildLoggerOptions): FastifyBaseLogger {
    return this.log.child(bindings, options);
  }

  private get log(): FastifyBaseLogger {
    this.made ??= this.parent.child(this.bindings, this.options);
    return this.made;
  }
}

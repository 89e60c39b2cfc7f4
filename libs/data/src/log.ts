/** Where the parts of libs/data say what happened; pino's logger is one. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

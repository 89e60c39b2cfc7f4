import { ValidateBy } from 'class-validator';

const TIME =
  /^(\d{4})-(0[1-9]|1[0-2])-(\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?$/;

/**
 * A moment in a request: an ISO 8601 date, with or without a time of day, and in UTC unless it says otherwise.
 * Of the standard's many other forms some mean one thing to JavaScript and another to PostgreSQL.
 */
export function IsTime(): PropertyDecorator {
  return ValidateBy({
    name: 'isTime',
    validator: {
      validate: (value) => typeof value === 'string' && isTime(value),
      defaultMessage: () => '$property must be a time like 2026-11-18T09:30:00Z',
    },
  });
}

/** The moment that a text names which passed `@IsTime()`. */
export function timeOf(text: string): Date {
  const isDateOnly = text.length === '2026-11-18'.length;
  return new Date(isDateOnly || TIME.exec(text)?.[4] !== undefined ? text : `${text}Z`);
}

export function isTime(text: string): boolean {
  const [, year, month, day] = TIME.exec(text)?.map(Number) ?? [];
  if (!year || !month || !day) return false;
  const lastOfMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  // An offset may lead out of the years that both sides can write.
  const utcYear = timeOf(text).getUTCFullYear();
  return day <= lastOfMonth && utcYear >= 1 && utcYear <= 9999;
}

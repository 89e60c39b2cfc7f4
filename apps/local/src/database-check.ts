import { majorVersionAt } from '@muster/data/embedded/one-off-client';
import { StartFailure } from './start-failure.js';

const oldestVersion = 15;

/** Asks the user's own PostgreSQL for a sign of life. The password appears in no message. */
export async function requireDatabase(url: string): Promise<void> {
  const version = await majorVersionAt(url).catch((error: unknown) => {
    throw new StartFailure(
      `The database at ${placeOf(url)} (DATABASE_URL) does not answer: ${reason(error)}.`,
    );
  });
  if (version < oldestVersion) {
    throw new StartFailure(
      `The database at ${placeOf(url)} is PostgreSQL ${version}, but ${oldestVersion} or later is needed.`,
    );
  }
}

function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'localhost'}:${port || 5432}${pathname}`;
}

/** A host with several addresses fails with one error for each of them. */
function reason(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error);
  return first.message.replace(/\.$/, '');
}

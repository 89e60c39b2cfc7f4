import type { paths } from './generated/openapi';

/** The body of an operation's successful answer. */
type Answer<Operation> = Operation extends { responses: infer Responses }
  ? Responses[keyof Responses & (200 | 201)] extends { content: { 'application/json': infer Body } }
    ? Body
    : never
  : never;

type ListPath = {
  [Path in keyof paths]: paths[Path] extends { get: infer Get }
    ? Answer<Get> extends { items: unknown[]; nextCursor?: unknown }
      ? Path
      : never
    : never;
}[keyof paths];

/** One row of the list at `Path`. */
type Row<Path extends ListPath> = paths[Path] extends { get: infer Get }
  ? Answer<Get> extends { items: (infer Item)[] }
    ? Item
    : never
  : never;

export type Session = Answer<paths['/api/auth/me']['get']>;
export type Role = Session['user']['role'];
export type User = Row<'/api/users'>;
export type ApiKey = Row<'/api/api-keys'>;
export type NewApiKey = Answer<paths['/api/api-keys']['post']>;
export type Manager = Row<'/api/managers'>;
export type Calculation = Row<'/api/schedules'>;
export type Task = Row<'/api/tasks'>;
export type SystemEvent = Row<'/api/events'>;

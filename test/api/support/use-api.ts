import { afterAll, beforeAll } from '@jest/globals';
import type { Role } from '@muster/domain/roles';
import { startApi, type ApiProcess } from '../../support/api.js';
import { clientOf, signIn, type Answer, type Client } from '../../support/client.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { described } from './described.js';

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
  readonly client: Client;
}

/** One API process and one database for a test file. Every answer is held against the API's description. */
export interface ApiUnderTest {
  readonly database: TestDatabase;
  readonly process: ApiProcess;
  /** All that work on the database, and are stopped before it is dropped. */
  readonly processes: ApiProcess[];
  readonly url: string;
  readonly nobody: Client;
  readonly admin: Client;
  /** Whoever holds the token. */
  holding(token: string): Client;
  /** A new user of that role, signed in. */
  user(role: Role, username?: string): Promise<Account>;
  signIn(username: string, password: string, headers?: Record<string, string>): Promise<Answer>;
  /** Events as the audit trail has them, oldest first. */
  events(where?: string, values?: unknown[]): Promise<EventRow[]>;
}

export interface EventRow {
  readonly event_type: string;
  readonly actor: string;
  readonly severity: string;
  readonly description: string;
  readonly event_data: Record<string, unknown> | null;
}

const PASSWORD = 'a pass phrase of their own';
let names = 0;

export function useApi(settings: Record<string, string> = {}): ApiUnderTest {
  const under = {} as { -readonly [Part in keyof ApiUnderTest]: ApiUnderTest[Part] };

  beforeAll(async () => {
    under.database = await createTestDatabase();
    under.process = await startApi(under.database.url, settings);
    under.processes.push(under.process);
    under.url = under.process.url;
    under.nobody = described(clientOf(under.url));
    under.admin = under.holding((await signIn(under.url)).token);
  });
  afterAll(async () => {
    await Promise.all(under.processes.map((api) => api.stop()));
    await under.database?.drop();
  });

  under.processes = [];
  under.holding = (token) => described(clientOf(under.url, token));
  under.signIn = (username, password, headers) =>
    under.nobody('POST', '/api/auth/login', { username, password }, headers);
  under.user = async (role, username = `${role}-${++names}`) => {
    const account = { username, password: PASSWORD, role };
    const created = await under.admin('POST', '/api/users', account);
    if (created.status !== 201) throw new Error(`${username} was not created: ${created.status}`);
    const token = (await under.signIn(username, PASSWORD)).body.accessToken as string;
    return {
      id: created.body.id as string,
      username,
      password: PASSWORD,
      token,
      client: under.holding(token),
    };
  };
  under.events = (where = 'true', values = []) =>
    under.database.query<EventRow>(
      `SELECT event_type::text, actor, severity::text, description, event_data
       FROM system_events WHERE ${where} ORDER BY seq`,
      values,
    );
  return under;
}

/** Another process of the same installation, on the same database. */
export function useSecondProcess(first: ApiUnderTest, settings: Record<string, string> = {}) {
  const second = {} as { url: string; nobody: Client; holding(token: string): Client };
  beforeAll(async () => {
    const api = await startApi(first.database.url, settings);
    first.processes.push(api);
    second.url = api.url;
    second.nobody = second.holding('');
  });
  second.holding = (token) => described(clientOf(second.url, token || undefined));
  return second;
}

/** `code` of a problem, with its status: what tests of refusals look at. */
export function refusal({ status, body }: Answer): string {
  return `${status} ${body.code}`;
}

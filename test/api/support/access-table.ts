import { roles, type Role } from '@muster/domain/roles';
import type { Route } from './routes.js';

/**
 * Who may call what: every route that the server answers, against nobody and each role. An API key may do what
 * its role may. `ok` is whatever comes after the door: a malformed body is let in, and then refused.
 */
const TABLE = `
                                        nobody  admin  client  viewer  guest
GET     /healthz                        ok      ok     ok      ok      ok
GET     /readyz                         ok      ok     ok      ok      ok
GET     /metrics                        ok      ok     ok      ok      ok
GET     /api/openapi.json               ok      ok     ok      ok      ok
GET     /api/openapi.yaml               ok      ok     ok      ok      ok
GET     /api/docs                       ok      ok     ok      ok      ok
GET     /api/docs/                      ok      ok     ok      ok      ok
GET     /api/docs/*                     ok      ok     ok      ok      ok
GET     /api/docs/LICENSE               ok      ok     ok      ok      ok
GET     /api/docs/index.html            ok      ok     ok      ok      ok
GET     /api/docs/swagger-ui-init.js    ok      ok     ok      ok      ok
GET     /api/docs/docs/swagger-ui-init.js  ok   ok     ok      ok      ok
POST    /api/auth/login                 ok      ok     ok      ok      ok
POST    /api/auth/guest                 ok      ok     ok      ok      ok
POST    /api/auth/logout                401     ok     ok      ok      ok
GET     /api/auth/me                    401     ok     ok      ok      ok
POST    /api/users                      401     ok     403     403     403
GET     /api/users                      401     ok     403     403     403
PATCH   /api/users/:id                  401     ok     403     403     403
POST    /api/api-keys                   401     ok     403     403     403
GET     /api/api-keys                   401     ok     403     403     403
DELETE  /api/api-keys/:id               401     ok     403     403     403
GET     /api/managers                   401     ok     ok      ok      403
GET     /api/schedules                  401     ok     ok      ok      403
GET     /api/tasks                      401     ok     ok      ok      403
GET     /api/events                     401     ok     ok      ok      403
`;

export type Caller = 'nobody' | Role;
export type Verdict = 'ok' | '401' | '403';

export interface Row {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly verdicts: Readonly<Record<Caller, Verdict>>;
}

export const accessTable: Row[] = parse(TABLE);

/** Routes that are not calls of the API: probes, and the API's description of itself. */
export const isUndescribed = ({ path }: Row) =>
  ['/healthz', '/readyz', '/metrics', '/api/openapi.json', '/api/openapi.yaml'].includes(path) ||
  path.startsWith('/api/docs');

/** As `x-roles` has it. */
export function rolesOf({ verdicts }: Row): string[] {
  return verdicts.nobody === 'ok' ? ['anyone'] : roles.filter((role) => verdicts[role] === 'ok');
}

function parse(table: string): Row[] {
  const [heading, ...lines] = table.split('\n').filter((line) => line.trim() !== '');
  const callers = heading!.trim().split(/\s+/) as Caller[];
  return lines.map((line) => {
    const [method, path, ...verdicts] = line.trim().split(/\s+/) as [string, string, ...Verdict[]];
    const pairs = callers.map((caller, column) => [caller, verdicts[column]!]);
    return {
      route: `${method} ${path}`,
      method,
      path,
      verdicts: Object.fromEntries(pairs) as Row['verdicts'],
    };
  });
}

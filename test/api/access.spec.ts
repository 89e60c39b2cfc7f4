import { randomUUID } from 'node:crypto';
import { Controller, Get, type Type } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '@muster/domain/roles';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer } from '../../apps/api/src/http/server.js';
import type { Runtime } from '../../apps/api/src/runtime.js';
import { readSettings } from '../../apps/api/src/settings.js';
import { shutDown } from '../../apps/api/src/shut-down.js';
import { assemble } from '../../apps/api/src/start.js';
import { clientOf, type Client } from '../support/client.js';
import { accessTable, type Caller, type Row } from './support/access-table.js';
import { controllerRoutes, servedRoutes, type Route } from './support/routes.js';
import { refusal, useApi } from './support/use-api.js';

const api = useApi({ MUSTER_GUESTS: 'true' });

/** The application as it is put together, not listening, with controllers of the test's own. */
async function assembled(more: Type[] = []): Promise<{ app: NestFastifyApplication; runtime: Runtime }> {
  const runtime = assemble(readSettings({ DATABASE_URL: api.database.url, MUSTER_LOG_LEVEL: 'silent' }));
  return { runtime, app: await createServer(runtime, more) };
}

/** Routes that neither declare who may call them nor belong to the API's description of itself. */
function undeclared(app: NestFastifyApplication): Route[] {
  const ours = controllerRoutes(app);
  return servedRoutes(app).filter(
    (route) => !ours.get(route) && !/^GET \/api\/(docs|openapi\.(json|yaml)$)/.test(route),
  );
}

@Controller('api/forgotten')
class ForgottenController {
  @Get(':id')
  read() {
    return { secret: 'plans' };
  }
}

describe('every route declares who may call it', () => {
  it('and none is forgotten', async () => {
    const { app, runtime } = await assembled();
    expect(undeclared(app)).toEqual([]);
    await shutDown(runtime, app);
  });

  it('one that does not is found', async () => {
    const { app, runtime } = await assembled([ForgottenController]);
    expect(undeclared(app)).toEqual(['GET /api/forgotten/:id']);
    await shutDown(runtime, app);
  });

  it('and is closed to everybody, the administrator included', async () => {
    const { app, runtime } = await assembled([ForgottenController]);
    runtime.readiness.serve();
    const { key } = (await api.admin('POST', '/api/api-keys', { name: 'admin', role: 'admin' })).body;
    const call = (headers: Record<string, string>) => app.inject({ url: '/api/forgotten/1', headers });
    expect((await call({})).statusCode).toBe(401);
    expect((await call({ authorization: `Bearer ${key}` })).statusCode).toBe(403);
    await shutDown(runtime, app);
  });
});

describe('the table of routes and roles', () => {
  it('holds exactly the routes that are served', async () => {
    const { app, runtime } = await assembled();
    expect(accessTable.map(({ route }) => route).sort()).toEqual(servedRoutes(app));
    await shutDown(runtime, app);
  });

  describe.each(['a session', 'an API key'] as const)('holds for callers with %s', (credential) => {
    const callers = new Map<Caller, Client>();

    beforeAll(async () => {
      callers.set('nobody', clientOf(api.url));
      for (const role of roles) callers.set(role, await callerOf(role));
    });

    async function callerOf(role: (typeof roles)[number]): Promise<Client> {
      if (credential === 'a session') return (await api.user(role)).client;
      const { body } = await api.admin('POST', '/api/api-keys', { name: `matrix ${role}`, role });
      return api.holding(body.key as string);
    }

    // A sign-out ends the session that all the other rows need.
    const signOut = ({ path }: Row) => path === '/api/auth/logout';
    const rows = [...accessTable.filter((row) => !signOut(row)), ...accessTable.filter(signOut)];

    it.each(rows.map((row) => [row.route, row] as const))('%s', async (_route, row) => {
      const seen: Record<string, string> = {};
      for (const [name, call] of callers) seen[name] = await verdict(call, row.method, row);
      expect(seen).toEqual(row.verdicts);
      if (row.method !== 'GET') return;
      for (const [name, call] of callers) seen[name] = await verdict(call, 'HEAD', row);
      expect(seen).toEqual(row.verdicts);
    });
  });
});

async function verdict(call: Client, method: string, { path }: Row): Promise<string> {
  const takesBody = method === 'POST' || method === 'PATCH';
  const url = path.replace(':id', randomUUID()).replace('*', 'swagger-ui.css');
  const { status } = await call(method, url, takesBody ? {} : undefined);
  return status === 401 || status === 403 ? String(status) : 'ok';
}

describe('a role is worth what the table says', () => {
  it('whoever is turned away learns why, and that a credential is wanted', async () => {
    const answer = await api.nobody('GET', '/api/users');
    expect(refusal(answer)).toBe('401 UNAUTHORIZED');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    const viewer = await api.user('viewer');
    expect(refusal(await viewer.client('GET', '/api/users'))).toBe('403 FORBIDDEN');
  });

  it.each([
    ['no scheme', (token: string) => token],
    ['another scheme', (token: string) => `Basic ${token}`],
    ['nothing behind the scheme', () => 'Bearer '],
    ['two tokens', (token: string) => `Bearer ${token} ${token}`],
  ])('an authorization with %s is none', async (_what, header) => {
    const { token } = await api.user('admin');
    expect((await api.nobody('GET', '/api/users', undefined, { authorization: header(token) })).status).toBe(
      401,
    );
  });

  it('a credential in the address is none', async () => {
    const { token } = await api.user('admin');
    for (const name of ['token', 'access_token', 'api_key']) {
      expect((await api.nobody('GET', `/api/users?${name}=${token}`)).status).toBe(401);
    }
  });
});

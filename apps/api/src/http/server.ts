import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import cookie from '@fastify/cookie';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DatabaseUnavailable, Overloaded } from '@muster/data/errors';
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { ApiModule } from '../api.module.js';
import { nestLog } from '../log.js';
import { SocketAdapter } from '../realtime/socket-adapter.js';
import type { Runtime } from '../runtime.js';
import { BODY_LIMIT, parseJsonBodies } from './body.js';
import { refuseConnection, refuseUrl } from './early-refusals.js';
import { Metrics } from './metrics.js';
import { serveApiDescription } from './openapi.js';
import { ProblemFilter } from './problem.filter.js';
import { RequestLog } from './request-log.js';
import { SECURITY_HEADERS } from './security-headers.js';
import { strictValidation } from './validation.js';

/** Requests that may wait for their answer at once; the next one is told to come back. */
const MOST_IN_FLIGHT = 20_000;
const SLOW_MS = 1_000;
const VERSION = '0.1.0';

/** The HTTP server with everything that all routes have in common, not yet listening. */
export async function createServer(runtime: Runtime, more: Type[] = []): Promise<NestFastifyApplication> {
  const server = createFastify(runtime);
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.for(runtime, more),
    new FastifyAdapter(server as never),
    { logger: nestLog(runtime.log), bodyParser: false, abortOnError: false },
  );
  await app.register(cookie as never);
  app.useGlobalPipes(strictValidation());
  app.useGlobalFilters(new ProblemFilter());
  app.useWebSocketAdapter(new SocketAdapter(app));
  const metrics = app.get(Metrics);
  metrics.observe(server);
  metrics.watch(runtime);
  limit(server, runtime);
  logRequests(server, runtime);
  serveApiDescription(app, VERSION);
  await app.init();
  await server.ready();
  return app;
}

function createFastify({ settings, log }: Runtime): FastifyInstance {
  const server: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    childLoggerFactory: (parent, bindings, options) => new RequestLog(parent, bindings, options),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    trustProxy: settings.MUSTER_TRUSTED_PROXIES.split(',').map((proxy) => proxy.trim()),
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    // An answer that is under way is finished; connections that idle are closed at once.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: 60_000,
    frameworkErrors: (error, request, reply) => refuseUrl(error, request, reply as never),
    clientErrorHandler: refuseConnection,
    http: { shouldUpgradeCallback: isSocket },
  });
  parseJsonBodies(server);
  return server;
}

/** Whoever offers another protocol, such as HTTP/2, is answered in the one that it came with. */
function isSocket({ url = '', headers }: IncomingMessage): boolean {
  return url.startsWith('/socket.io/') && headers.upgrade?.toLowerCase() === 'websocket';
}

/** A caller's own id is kept, so that its log and ours can be laid side by side. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{1,100}$/.test(given) ? given : randomUUID();
}

function limit(server: FastifyInstance, { readiness }: Runtime): void {
  let inFlight = 0;
  server.addHook('onRequest', (request, reply, done) => {
    inFlight++;
    // Not `onResponse`, which never comes for a caller that goes away before its answer.
    reply.raw.once('close', () => inFlight--);
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id).header('cache-control', 'no-store');
    if (isProbe(request.url)) return done();
    if (!readiness.answersRequests) return done(new DatabaseUnavailable());
    // Nobody should go on with a connection that is about to be closed.
    if (readiness.state === 'leaving') reply.header('connection', 'close');
    if (inFlight > MOST_IN_FLIGHT) return done(new Overloaded('an answer'));
    done();
  });
}

/** These answer while nothing else does yet. */
function isProbe(url: string): boolean {
  return ['/healthz', '/readyz', '/metrics'].includes(url.split('?')[0] ?? '');
}

/** What went well and fast is of interest only to who debugs; the rest is worth a line. */
function logRequests(server: FastifyInstance, { log }: Runtime): void {
  server.addHook('onResponse', (request, reply, done) => {
    const level =
      reply.statusCode >= 500 && !isProbe(request.url)
        ? 'warn'
        : reply.elapsedTime > SLOW_MS
          ? 'info'
          : 'debug';
    if (!log.isLevelEnabled(level)) return done();
    request.log[level](
      {
        method: request.method,
        path: request.url.split('?')[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        address: request.ip,
      },
      'request',
    );
    done();
  });
}

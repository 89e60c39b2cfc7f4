import { randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
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
import { Metrics } from './metrics.js';
import { serveApiDescription } from './openapi.js';
import { ProblemFilter, sendProblem } from './problem.filter.js';
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
  await app.register(helmet as never, securityHeaders());
  app.useGlobalPipes(strictValidation());
  app.useGlobalFilters(new ProblemFilter());
  app.useWebSocketAdapter(new SocketAdapter(app));
  const metrics = app.get(Metrics);
  metrics.observe(server);
  metrics.watch(runtime);
  limit(server, runtime);
  logRequests(server);
  serveApiDescription(app, VERSION);
  await app.init();
  await server.ready();
  return app;
}

function createFastify({ settings, log }: Runtime): FastifyInstance {
  const server: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    trustProxy: settings.MUSTER_TRUSTED_PROXIES.split(',').map((proxy) => proxy.trim()),
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    // An answer that is under way is finished; connections that idle are closed at once.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: 60_000,
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply as never),
  });
  parseJsonBodies(server);
  return server;
}

/** A caller's own id is kept, so that its log and ours can be laid side by side. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{1,100}$/.test(given) ? given : randomUUID();
}

function securityHeaders() {
  return {
    // Nothing here is a page, but for the API's description, which brings its own script and style.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    // Whether there is https at all is known to whoever ends it, not to us.
    hsts: false,
  };
}

function limit(server: FastifyInstance, { readiness }: Runtime): void {
  let inFlight = 0;
  server.addHook('onRequest', (request, reply, done) => {
    inFlight++;
    reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    if (isProbe(request.url)) return done();
    if (!readiness.isServing) return done(new DatabaseUnavailable());
    if (inFlight > MOST_IN_FLIGHT) return done(new Overloaded('an answer'));
    done();
  });
  server.addHook('onResponse', (_request, _reply, done) => {
    inFlight--;
    done();
  });
}

/** These answer while nothing else does yet. */
function isProbe(url: string): boolean {
  return ['/healthz', '/readyz', '/metrics'].includes(url.split('?')[0] ?? '');
}

/** What went well and fast is of interest only to who debugs; the rest is worth a line. */
function logRequests(server: FastifyInstance): void {
  server.addHook('onResponse', (request, reply, done) => {
    const level =
      reply.statusCode >= 500 && !isProbe(request.url)
        ? 'warn'
        : reply.elapsedTime > SLOW_MS
          ? 'info'
          : 'debug';
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

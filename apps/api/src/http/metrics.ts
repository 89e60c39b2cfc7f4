import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Runtime } from '../runtime.js';

/** One registry per process; a test that starts two applications in one process gives each its own. */
export class Metrics {
  readonly registry = new Registry();

  readonly requests = new Histogram({
    name: 'muster_http_request_duration_seconds',
    help: 'How long answers took, by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers: [this.registry],
  });

  readonly requestsInFlight = new Gauge({
    name: 'muster_http_requests_in_flight',
    help: 'Requests that wait for their answer.',
    registers: [this.registry],
  });

  readonly batches = new Histogram({
    name: 'muster_write_batch_size',
    help: 'Items that one coalesced statement carried.',
    labelNames: ['writer'],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers: [this.registry],
  });

  readonly denials = new Counter({
    name: 'muster_denials_total',
    help: 'Requests that were turned away for want of a credential or a right.',
    labelNames: ['kind'],
    registers: [this.registry],
  });

  readonly sockets = new Gauge({
    name: 'muster_sockets_connected',
    help: 'Sockets that are connected to this process.',
    registers: [this.registry],
  });

  readonly socketMessages = new Counter({
    name: 'muster_socket_messages_total',
    help: 'Messages that were sent to sockets, by event, once for each socket.',
    labelNames: ['event'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Figures that are looked up when somebody asks for them. */
  watch({ database, leadership }: Pick<Runtime, 'database' | 'leadership'>): void {
    new Gauge({
      name: 'muster_database_up',
      help: '1 while PostgreSQL answers, 0 while the breaker is open.',
      registers: [this.registry],
      collect() {
        this.set(database.breaker.isOpen ? 0 : 1);
      },
    });
    new Gauge({
      name: 'muster_leader',
      help: '1 while this process runs the singleton duties.',
      registers: [this.registry],
      collect() {
        this.set(leadership.isLeader ? 1 : 0);
      },
    });
  }

  observe(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (_request, reply, done) => {
      this.requestsInFlight.inc();
      reply.raw.once('close', () => this.requestsInFlight.dec());
      done();
    });
    fastify.addHook('onResponse', (request, reply, done) => {
      this.requests.observe(
        // The pattern, never the path: ids would make a series each.
        { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode },
        reply.elapsedTime / 1_000,
      );
      done();
    });
  }
}

import { forbidden } from '@muster/domain/errors';
import type { FastifyRequest } from 'fastify';
import type { Denials } from './denials.js';

const HARMLESS = new Set(['GET', 'HEAD', 'OPTIONS']);
const MOST_OF_ORIGIN = 200;

/**
 * Refuses a change that a page of another site makes in the name of whoever is signed in here. Browsers say
 * where a request comes from; programs that are no browsers send neither header and no cookie either.
 */
export function refuseCrossSite(request: FastifyRequest, denials: Denials): void {
  if (HARMLESS.has(request.method) || !isCrossSite(request)) return;
  denials.note({
    eventType: 'access_denied',
    actor: `address:${request.ip}`,
    description: `${request.method} ${request.routeOptions.url} was refused to a page of another site`,
    data: { origin: request.headers.origin?.slice(0, MOST_OF_ORIGIN) },
  });
  throw forbidden('CROSS_SITE', 'Changes are not taken from pages of another site');
}

function isCrossSite({ headers, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return headers.origin !== undefined && !isSameHost(headers.origin, host);
}

export function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

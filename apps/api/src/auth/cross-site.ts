import { forbidden } from '@muster/domain/errors';
import type { FastifyRequest } from 'fastify';

const HARMLESS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses a change that a page of another site makes in the name of whoever is signed in here. Browsers say
 * where a request comes from; programs that are no browsers send neither header and no cookie either.
 */
export function refuseCrossSite(request: FastifyRequest): void {
  if (HARMLESS.has(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return;
    throw crossSite();
  }
  const origin = request.headers.origin;
  if (origin !== undefined && !isSameHost(origin, request.host)) throw crossSite();
}

export function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

function crossSite() {
  return forbidden('CROSS_SITE', 'Changes are not taken from pages of another site');
}

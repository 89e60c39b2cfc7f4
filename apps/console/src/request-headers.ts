/** What proxy.ts tells the pages about a request. */
export const NONCE_HEADER = 'x-nonce';
export const PATH_HEADER = 'x-muster-path';

/** What our server tells the pages about the caller, the same as it tells the API (server/upstream.ts). */
export const FORWARDED_HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'] as const;

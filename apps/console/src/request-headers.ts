/** What proxy.ts tells the pages about a request. */
export const NONCE_HEADER = 'x-nonce';
export const PATH_HEADER = 'x-muster-path';

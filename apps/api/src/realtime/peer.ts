import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';

/** Who made a request, and what they take us for. */
export interface Peer {
  readonly address: string;
  readonly host: string;
  readonly isSecure: boolean;
}

/**
 * Reads the peer of a request that Fastify does not see, such as a WebSocket's, by the rules that Fastify has
 * for the others: what a proxy says in `X-Forwarded-*` counts if the proxy is one that we trust.
 */
export function peerReader(trustedProxies: string): (request: IncomingMessage) => Peer {
  const isTrusted = proxyAddr.compile(trustedProxies.split(',').map((proxy) => proxy.trim()));
  return (request) => {
    const { headers, socket } = request;
    const behindProxy = socket.remoteAddress !== undefined && isTrusted(socket.remoteAddress, 0);
    const forwarded = (name: string) => (behindProxy ? lastOf(headers[name]) : undefined);
    return {
      address: proxyAddr(request, isTrusted) ?? 'unknown',
      host: forwarded('x-forwarded-host') ?? headers.host ?? '',
      isSecure: forwarded('x-forwarded-proto') === 'https',
    };
  };
}

/** The nearest proxy appends; what stands before its own entry, anybody may have written. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return header?.toString().split(',').at(-1)?.trim() || undefined;
}

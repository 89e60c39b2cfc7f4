import type { IncomingMessage } from 'node:http';
import cookiePlugin from '@fastify/cookie';
import { Inject, Injectable } from '@nestjs/common';
import { DatabaseUnavailable } from '@muster/data/errors';
import { throttled, unauthenticated } from '@muster/domain/errors';
import type { Logger } from 'pino';
import { tokenFromCookies } from '../auth/cookie.js';
import { isSameHost } from '../auth/cross-site.js';
import { Denials } from '../auth/denials.js';
import { Readiness } from '../health/readiness.js';
import { LOG, SETTINGS } from '../runtime.js';
import type { Settings } from '../settings.js';
import { refusalOf } from './acknowledgement.js';
import { accountRoom, type ClientSocket } from './client-socket.js';
import { CredentialWatch } from './credential-watch.js';
import { peerReader } from './peer.js';

const { parse: parseCookies } = cookiePlugin.fastifyCookie;

/** About 0.1 MB each. */
const MOST_CONNECTIONS = 10_000;
/** A fleet of workers may share one API key. */
const MOST_PER_ACCOUNT = 2_500;
const LONGEST_TOKEN = 4_096;

/** Who may connect: nobody from another site's page, and only who proves who they are. */
@Injectable()
export class Handshake {
  private readonly peerOf: ReturnType<typeof peerReader>;
  /** Connections that have had their one chance. */
  private readonly tried = new WeakSet<object>();

  constructor(
    private readonly watch: CredentialWatch,
    private readonly denials: Denials,
    private readonly readiness: Readiness,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.peerOf = peerReader(settings.MUSTER_TRUSTED_PROXIES);
  }

  /**
   * Decides on the bare HTTP request; the answer is why not. A browser sends cookies along with any page's
   * WebSocket, and no CORS rule stops it: only its `Origin` tells. Programs send none.
   */
  refuseRequest(request: IncomingMessage, connections: number): string | null {
    if (connections >= MOST_CONNECTIONS) return 'OVERLOADED';
    const { origin } = request.headers;
    const { host, address } = this.peerOf(request);
    if (origin === undefined || isSameHost(origin, host)) return null;
    this.denials.note({
      eventType: 'access_denied',
      actor: `address:${address}`,
      description: 'A socket was refused to a page of another site',
      data: { origin: origin.slice(0, 200) },
    });
    return 'CROSS_SITE';
  }

  /** Socket.IO's middleware: the message of the error is what the client's `connect_error` gets. */
  readonly middleware = (socket: ClientSocket, next: (error?: Error) => void): void => {
    this.admit(socket).then(
      () => next(),
      (error: unknown) => {
        const { refusal, unforeseen } = refusalOf(error);
        if (unforeseen) this.log.error({ err: error }, 'a handshake failed');
        next(Object.assign(new Error(refusal.code), { data: { message: refusal.message } }));
        // Who was refused would otherwise keep the connection until it times out. The error leaves first.
        setImmediate(() => socket.conn.close());
      },
    );
  };

  private async admit(socket: ClientSocket): Promise<void> {
    // One guess per connection, so that guessing costs at least a connection each.
    if (this.tried.has(socket.conn)) throw unauthenticated('Connect anew to try again');
    this.tried.add(socket.conn);
    if (!this.readiness.isServing) throw new DatabaseUnavailable();
    const token = this.tokenOf(socket);
    if (token === undefined) throw unauthenticated();
    const caller = await this.watch.identify(socket, token);
    if (!caller) {
      this.denials.note({
        eventType: 'auth_failed',
        actor: `address:${this.peerOf(socket.request).address}`,
        description: 'A credential was refused',
        data: { route: 'socket' },
      });
      throw unauthenticated('This credential is not, or no longer, valid');
    }
    const room = accountRoom(caller.accountId);
    if ((socket.nsp.adapter.rooms.get(room)?.size ?? 0) >= MOST_PER_ACCOUNT) {
      throw throttled('RATE_LIMITED', `An account may have ${MOST_PER_ACCOUNT} connections`, 1);
    }
    socket.data = { caller };
    // Before anything else may run, so that nobody slips in between counting and being counted.
    void socket.join(room);
  }

  private tokenOf({ handshake, request }: ClientSocket): string | undefined {
    const { token } = handshake.auth as { token?: unknown };
    if (typeof token === 'string' && token.length <= LONGEST_TOKEN) return token;
    // A token that is none does not make the cookie count instead.
    if (token !== undefined) throw unauthenticated('This is not a token');
    const cookies = parseCookies(request.headers.cookie ?? '');
    return tokenFromCookies(cookies, this.peerOf(request).isSecure);
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@muster/data/database';
import { isDuplicate } from '@muster/data/errors';
import { createUser, findUserForSignIn, type User } from '@muster/data/repositories/users.repository';
import { createSession, endSession } from '@muster/data/repositories/sessions.repository';
import { countAttempt, forgiveAttempt, type Bucket } from '@muster/data/sql/sign-in-throttle';
import type { Transaction } from '@muster/data/transaction';
import { conflict, forbidden, throttled, unauthenticated } from '@muster/domain/errors';
import type { SignedIn } from '@muster/protocol/auth';
import { SETTINGS } from '../runtime.js';
import type { Settings } from '../settings.js';
import type { Caller } from './caller.js';
import { Credentials } from './credentials.js';
import { Denials } from './denials.js';
import { verifyPassword } from './passwords.js';
import { Tokens } from './tokens.js';

/** Failures within a minute after which a name, or an address, has to wait. */
const LIMIT_PER_USER = 10;
const LIMIT_PER_ADDRESS = 30;

@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly credentials: Credentials,
    private readonly tokens: Tokens,
    private readonly denials: Denials,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async signIn(username: string, password: string, address: string): Promise<SignedIn> {
    const buckets = bucketsOf(username, address);
    const user = await findUserForSignIn(this.database, username);
    await this.countAttempt(buckets, user, address);
    const matches = await verifyPassword(password, user?.passwordHash ?? null);
    if (!user || !matches || user.disabledAt !== null) {
      this.noteFailure(user, address);
      throw unauthenticated('The user name or the password is wrong');
    }
    await forgiveAttempt(this.database, buckets);
    return this.open(user, address);
  }

  /** A guest is whoever gives a name; the name must not be that of somebody with a password. */
  async signInAsGuest(username: string, address: string): Promise<SignedIn> {
    if (!this.settings.MUSTER_GUESTS) {
      this.denials.note({
        eventType: 'access_denied',
        actor: `address:${address}`,
        description: `${username} was not let in as a guest`,
        data: { username, address },
      });
      throw forbidden('GUESTS_DISABLED', 'This server takes no guests');
    }
    const known = await findUserForSignIn(this.database, username);
    if (known && (known.role !== 'guest' || known.passwordHash !== null || known.disabledAt !== null)) {
      throw conflict('NAME_TAKEN', 'This name belongs to somebody else', { username: known.username });
    }
    return this.open(known ?? { username }, address).catch((error: unknown) => {
      // Somebody of the same name came at the same moment; now the name is known.
      if (known || !isDuplicate(error)) throw error;
      return this.signInAsGuest(username, address);
    });
  }

  async endSessionOf(token: string | undefined): Promise<void> {
    const caller = token === undefined ? null : await this.credentials.identify(token);
    if (caller) await this.signOut(caller);
  }

  async signOut(caller: Caller): Promise<void> {
    const { sessionId } = caller;
    if (sessionId === null) return;
    await this.database.transaction(async (tx) => {
      await endSession(tx, sessionId);
      await this.credentials.announce(tx, { sessionId });
    });
  }

  private async open(user: User | { username: string }, address: string): Promise<SignedIn> {
    const { account, session } = await this.database.transaction(async (tx) => {
      const account = 'userId' in user ? user : await this.createGuest(tx, user.username);
      const session = await createSession(tx, account.userId, this.settings.MUSTER_JWT_TTL_S);
      tx.record({
        eventType: 'signed_in',
        actor: `user:${account.username}`,
        description: `${account.username} signed in`,
        eventData: { address, role: account.role },
      });
      return { account, session };
    });
    return {
      accessToken: await this.tokens.issue({ ...session, userId: account.userId }),
      expiresAt: session.expiresAt.toISOString(),
      user: { id: account.userId, username: account.username, role: account.role },
    };
  }

  private createGuest(tx: Transaction, username: string): Promise<User> {
    return createUser(tx, { username, role: 'guest', passwordHash: null });
  }

  private async countAttempt(buckets: Bucket[], user: User | null, address: string): Promise<void> {
    const seconds = await countAttempt(this.database, buckets);
    if (seconds === 0) return;
    this.noteFailure(user, address);
    throw throttled('TOO_MANY_ATTEMPTS', `Too many failed sign-ins; try again in ${seconds} s`, seconds);
  }

  /** What was typed is kept only if it is a name: it may be a password in the wrong field. */
  private noteFailure(user: User | null, address: string): void {
    const username = user?.username;
    this.denials.note({
      eventType: 'auth_failed',
      actor: `address:${address}`,
      description:
        username === undefined ? 'A sign-in with an unknown name failed' : `A sign-in as ${username} failed`,
      data: { username, address },
    });
  }
}

function bucketsOf(username: string, address: string): Bucket[] {
  return [
    { bucket: `user:${username.toLowerCase()}`, limit: LIMIT_PER_USER },
    { bucket: `address:${address}`, limit: LIMIT_PER_ADDRESS },
  ];
}

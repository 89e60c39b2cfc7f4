import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { jwtVerify, SignJWT } from 'jose';
import { Database } from '@muster/data/database';
import { obtainServerSecret } from '@muster/data/repositories/server-secrets.repository';
import { SETTINGS } from '../runtime.js';
import type { Settings } from '../settings.js';

const ALGORITHM = 'HS256';
const ISSUER = 'muster';
const AUDIENCE = 'muster-api';

/** Access tokens: a signed name of a session. What the session is worth stands in its row. */
@Injectable()
export class Tokens {
  private secret: Promise<Uint8Array> | undefined;

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async issue(session: {
    sessionId: string;
    userId: string;
    createdAt: Date;
    expiresAt: Date;
  }): Promise<string> {
    return new SignJWT({})
      .setProtectedHeader({ alg: ALGORITHM })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(session.userId)
      .setJti(session.sessionId)
      .setIssuedAt(session.createdAt)
      .setExpirationTime(session.expiresAt)
      .sign(await this.key());
  }

  /** The session that a genuine token names, or null. */
  async sessionOf(token: string): Promise<string | null> {
    const key = await this.key();
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['exp', 'jti'],
        // Whether it has expired is asked of the session's row, by the database's clock: ours may be wrong.
        currentDate: new Date(0),
      });
      return payload.jti ?? null;
    } catch {
      return null;
    }
  }

  /** All processes sign with the same secret: the one that is set, else one that the first of them made. */
  private key(): Promise<Uint8Array> {
    this.secret ??= this.obtain().catch((error: unknown) => {
      this.secret = undefined;
      throw error;
    });
    return this.secret;
  }

  private async obtain(): Promise<Uint8Array> {
    const secret =
      this.settings.MUSTER_JWT_SECRET ??
      (await obtainServerSecret(this.database, 'jwt', randomBytes(48).toString('base64url')));
    return new TextEncoder().encode(secret);
  }
}

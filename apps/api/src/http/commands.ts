import { createHash } from 'node:crypto';
import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import { Database } from '@muster/data/database';
import { claimKey, keepAnswer, type Claim, type KeptAnswer } from '@muster/data/sql/idempotency';
import type { Transaction } from '@muster/data/transaction';
import { malformed, unacceptable, unauthenticated } from '@muster/domain/errors';
import type { Problem } from '@muster/protocol/problem';
import type { FastifyReply } from 'fastify';
import type { AuthenticatedRequest, Caller } from '../auth/caller.js';
import { stretch } from '../auth/passwords.js';
import { problemOf } from './problem.js';

/** What a changing request brings along: who makes it, and the key under which it may be repeated. */
export interface Call {
  readonly caller: Caller;
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly idempotencyKey: string | null;
  readonly reply: FastifyReply;
}

const MAX_KEY_LENGTH = 255;
const SECRETS = new Set(['password', 'secret']);

export const Calling = createParamDecorator((_: unknown, context: ExecutionContext): Call => {
  const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!request.caller) throw unauthenticated();
  const key = request.headers['idempotency-key'] ?? null;
  if (Array.isArray(key) || key === '' || (key !== null && key.length > MAX_KEY_LENGTH)) {
    throw malformed('BAD_IDEMPOTENCY_KEY', `An idempotency key has 1 to ${MAX_KEY_LENGTH} characters`);
  }
  return {
    caller: request.caller,
    method: request.method,
    url: request.url,
    body: request.body,
    idempotencyKey: key,
    reply: context.switchToHttp().getResponse<FastifyReply>(),
  };
});

/**
 * Runs a change in one transaction. With an idempotency key, the answer is kept in that same transaction: a
 * crash at any point leaves both or neither, and a repetition is answered without doing anything again.
 */
@Injectable()
export class Commands {
  constructor(private readonly database: Database) {}

  async run<Answer>(call: Call, work: (tx: Transaction) => Promise<Answer>): Promise<Answer> {
    const { idempotencyKey: key } = call;
    if (key === null) return this.database.transaction(work);
    const claim: Claim = { accountId: call.caller.accountId, key, requestHash: await hashOf(call, key) };
    try {
      return await this.database.transaction(async (tx) => {
        const kept = await claimKey(tx, claim);
        if (kept) return replay<Answer>(call, claim, kept);
        const answer = await work(tx);
        await keepAnswer(tx, claim, call.reply.statusCode, answer);
        return answer;
      });
    } catch (error) {
      const { problem } = problemOf(error, call.url.split('?')[0] ?? '');
      const kept = isKept(problem) && (await this.keepRefusal(claim, problem));
      if (kept) return replay(call, claim, kept);
      throw error;
    }
  }

  /**
   * The change was rolled back, and its claim with it; what is kept is that it was refused, and why. Whoever
   * waited for the claim may have been quicker to take it: then that answer is the one of this key.
   */
  private async keepRefusal(claim: Claim, problem: Problem): Promise<KeptAnswer | null> {
    return this.database.transaction(async (tx) => {
      const kept = await claimKey(tx, claim);
      if (!kept) await keepAnswer(tx, claim, problem.status, problem);
      return kept;
    });
  }
}

function replay<Answer>({ reply }: Call, { requestHash }: Claim, kept: KeptAnswer): Answer {
  if (!kept.requestHash.equals(requestHash)) {
    throw unacceptable('IDEMPOTENCY_KEY_REUSED', 'This idempotency key was used for another request');
  }
  reply.code(kept.statusCode).header('idempotency-replayed', 'true');
  if (kept.statusCode >= 400) reply.header('content-type', 'application/problem+json; charset=utf-8');
  return kept.body as Answer;
}

/** Not who the caller is, not how busy we are, no failure of ours, and not the misuse of the key itself. */
function isKept({ status, code }: Problem): boolean {
  return status < 500 && status !== 401 && status !== 429 && code !== 'IDEMPOTENCY_KEY_REUSED';
}

/** Tells requests apart. A secret counts as well, but so slowly that the hash is no use for guessing it. */
async function hashOf({ caller, method, url, body }: Call, key: string): Promise<Buffer> {
  const secrets: unknown[] = [];
  const open = JSON.stringify(body ?? null, (field, value: unknown) =>
    SECRETS.has(field) ? `secret ${secrets.push(value)}` : value,
  );
  const hash = createHash('sha256').update(`${method} ${url}\n${open}`);
  if (secrets.length > 0) hash.update(await stretch(JSON.stringify(secrets), `${caller.accountId} ${key}`));
  return hash.digest();
}

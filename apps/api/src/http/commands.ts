import { createHash } from 'node:crypto';
import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import { Database } from '@muster/data/database';
import { claimKey, keepAnswer, type KeptAnswer } from '@muster/data/sql/idempotency';
import type { Transaction } from '@muster/data/transaction';
import { Fault, malformed, unacceptable, unauthenticated } from '@muster/domain/errors';
import type { FastifyReply } from 'fastify';
import type { AuthenticatedRequest, Caller } from '../auth/caller.js';
import { problemOf } from './problem.js';

/** What a changing request brings along: who makes it, and the key under which it may be repeated. */
export interface Call {
  readonly caller: Caller;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly requestHash: Buffer;
  readonly reply: FastifyReply;
}

const MAX_KEY_LENGTH = 255;

export const Calling = createParamDecorator((_: unknown, context: ExecutionContext): Call => {
  const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!request.caller) throw unauthenticated();
  const key = request.headers['idempotency-key'] ?? null;
  if (Array.isArray(key) || key === '' || (key !== null && key.length > MAX_KEY_LENGTH)) {
    throw malformed('BAD_IDEMPOTENCY_KEY', `An idempotency key has 1 to ${MAX_KEY_LENGTH} characters`);
  }
  return {
    caller: request.caller,
    path: request.url,
    idempotencyKey: key,
    requestHash: createHash('sha256')
      .update(`${request.method} ${request.url}\n${JSON.stringify(request.body ?? null, withoutSecrets)}`)
      .digest(),
    reply: context.switchToHttp().getResponse<FastifyReply>(),
  };
});

/** A fast hash of a password must not lie in a table. */
function withoutSecrets(field: string, value: unknown): unknown {
  return field === 'password' || field === 'secret' ? undefined : value;
}

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
    try {
      return await this.database.transaction(async (tx) => {
        const kept = await claimKey(tx, call.caller.accountId, key, call.requestHash);
        if (kept) return this.replay<Answer>(call, kept);
        const answer = await work(tx);
        await keepAnswer(tx, call.caller.accountId, key, call.reply.statusCode, answer);
        return answer;
      });
    } catch (error) {
      if (error instanceof Fault && isKept(error)) await this.keepRefusal(call, key, error);
      throw error;
    }
  }

  private replay<Answer>(call: Call, kept: KeptAnswer): Answer {
    if (!kept.requestHash.equals(call.requestHash)) {
      throw unacceptable('IDEMPOTENCY_KEY_REUSED', 'This idempotency key was used for another request');
    }
    call.reply.code(kept.statusCode).header('idempotency-replayed', 'true');
    if (kept.statusCode >= 400) call.reply.header('content-type', 'application/problem+json; charset=utf-8');
    return kept.body as Answer;
  }

  /** The change was rolled back, and its claim with it; what is kept is that it was refused, and why. */
  private async keepRefusal(call: Call, key: string, fault: Fault): Promise<void> {
    const { problem } = problemOf(fault, call.path.split('?')[0] ?? '');
    await this.database.transaction(async (tx) => {
      const kept = await claimKey(tx, call.caller.accountId, key, call.requestHash);
      if (!kept) await keepAnswer(tx, call.caller.accountId, key, problem.status, problem);
    });
  }
}

/** Not who the caller is, not how busy we are, and not the misuse of the key itself. */
function isKept(fault: Fault): boolean {
  return (
    fault.kind !== 'unauthenticated' && fault.kind !== 'throttled' && fault.code !== 'IDEMPOTENCY_KEY_REUSED'
  );
}

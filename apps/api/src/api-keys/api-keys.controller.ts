import { randomBytes } from 'node:crypto';
import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Database } from '@muster/data/database';
import type { Listing } from '@muster/data/lists';
import { createApiKey, revokeApiKey } from '@muster/data/repositories/api-keys.repository';
import { missing, unacceptable } from '@muster/domain/errors';
import { ApiKeyPage, CreateApiKey, CreatedApiKey, type ApiKeyRecord } from '@muster/protocol/api-keys';
import { ListQuery } from '@muster/protocol/lists';
import { timeOf } from '@muster/protocol/time';
import { Access } from '../auth/access.js';
import { actorOf, By, type Caller } from '../auth/caller.js';
import { API_KEY_PREFIX, Credentials, hashApiKey } from '../auth/credentials.js';
import { Id } from '../http/id.js';
import { answerPage } from '../http/pages.js';

const listing: Listing = {
  table: 'api_keys',
  columns: [
    'api_key_id AS id',
    'name',
    'role',
    'created_by',
    'created_at',
    'expires_at',
    'last_used_at',
    'revoked_at',
  ],
  order: ['created_at', 'api_key_id'],
};

@ApiTags('API keys')
@Controller('api/api-keys')
export class ApiKeysController {
  constructor(
    private readonly database: Database,
    private readonly credentials: Credentials,
  ) {}

  /** The answer holds a secret, so it is not kept under an idempotency key. */
  @Post()
  @ApiOperation({ summary: 'Create an API key, which is shown this once' })
  @Access('admin')
  @ApiCreatedResponse({ type: CreatedApiKey })
  async create(@Body() request: CreateApiKey, @By() caller: Caller): Promise<CreatedApiKey> {
    const expiresAt = request.expiresAt ? timeOf(request.expiresAt) : null;
    const key = API_KEY_PREFIX + randomBytes(32).toString('base64url');
    const { apiKeyId, ...record } = await this.database.transaction(async (tx) => {
      const created = await createApiKey(tx, {
        name: request.name,
        role: request.role,
        keyHash: hashApiKey(key),
        createdBy: actorOf(caller),
        expiresAt,
      });
      if (expiresAt !== null && expiresAt <= created.createdAt) {
        throw unacceptable('EXPIRED', 'The key would have expired already', {
          errors: [{ field: 'expiresAt', message: 'expiresAt must be in the future' }],
        });
      }
      tx.record({
        eventType: 'admin_action',
        actor: actorOf(caller),
        description: `API key ${created.name} was created with the role ${created.role}`,
        eventData: { apiKeyId: created.apiKeyId, name: created.name, role: created.role },
      });
      return created;
    });
    return { id: apiKeyId, ...toJson(record), key };
  }

  @Get()
  @ApiOperation({ summary: 'List API keys, newest first' })
  @Access('admin')
  @ApiOkResponse({ type: ApiKeyPage })
  list(@Query() query: ListQuery): Promise<ApiKeyPage> {
    return answerPage<ApiKeyRecord>(this.database, listing, query);
  }

  /** Revoked, not removed: what it did stays attributable. */
  @Delete(':id')
  @ApiOperation({ summary: 'Revoke an API key, at once' })
  @HttpCode(204)
  @Access('admin')
  @ApiNoContentResponse()
  async revoke(@Id() id: string, @By() caller: Caller): Promise<void> {
    await this.database.transaction(async (tx) => {
      const name = await revokeApiKey(tx, id);
      if (name === null) throw missing('API key');
      await this.credentials.announce(tx, { apiKeyId: id });
      tx.record({
        eventType: 'admin_action',
        actor: actorOf(caller),
        description: `API key ${name} was revoked`,
        eventData: { apiKeyId: id, name },
      });
    });
  }
}

type Times = { createdAt: Date; expiresAt: Date | null; lastUsedAt: Date | null; revokedAt: Date | null };

function toJson<Record extends Times>(record: Record) {
  const { createdAt, expiresAt, lastUsedAt, revokedAt, ...rest } = record;
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

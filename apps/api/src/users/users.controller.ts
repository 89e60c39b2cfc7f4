import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Database } from '@muster/data/database';
import type { Listing } from '@muster/data/lists';
import { ListQuery } from '@muster/protocol/lists';
import { ChangeUser, CreateUser, UserPage, UserRecord } from '@muster/protocol/users';
import { Access } from '../auth/access.js';
import { Credentials } from '../auth/credentials.js';
import { hashPassword } from '../auth/passwords.js';
import { Calling, Commands, type Call } from '../http/commands.js';
import { Id } from '../http/id.js';
import { answerPage } from '../http/pages.js';
import { UsersService } from './users.service.js';

const listing: Listing = {
  table: 'users',
  columns: ['user_id AS id', 'username', 'role', 'created_at', 'password_changed_at', 'disabled_at'],
  order: ['created_at', 'user_id'],
};

@ApiTags('Users')
@Controller('api/users')
export class UsersController {
  constructor(
    private readonly database: Database,
    private readonly commands: Commands,
    private readonly users: UsersService,
    private readonly credentials: Credentials,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create a user' })
  @Access('admin')
  @ApiCreatedResponse({ type: UserRecord })
  async create(@Body() { password, ...user }: CreateUser, @Calling() call: Call): Promise<UserRecord> {
    const passwordHash = await hashPassword(password);
    return this.commands.run(call, (tx) => this.users.create(tx, { ...user, passwordHash }, call.caller));
  }

  @Get()
  @ApiOperation({ summary: 'List users, newest first' })
  @Access('admin')
  @ApiOkResponse({ type: UserPage })
  list(@Query() query: ListQuery): Promise<UserPage> {
    return answerPage<UserRecord>(this.database, listing, query);
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Change role or password, disable or enable; the sessions that this devalues end',
  })
  @Access('admin')
  @ApiOkResponse({ type: UserRecord })
  async change(
    @Id() id: string,
    @Body() { password, ...change }: ChangeUser,
    @Calling() call: Call,
  ): Promise<UserRecord> {
    const passwordHash = password === undefined ? undefined : await hashPassword(password);
    return this.commands.run(call, async (tx) => {
      await this.credentials.announce(tx, { userId: id });
      return this.users.change(tx, id, { ...change, passwordHash }, call.caller);
    });
  }
}

import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Database } from '@muster/data/database';
import { Access } from '../auth/access.js';
import { NotReady, Readiness } from './readiness.js';

@ApiExcludeController()
@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly database: Database,
  ) {}

  /** The process runs. It says nothing about the database: restarting us would not bring that back. */
  @Get('healthz')
  @Access.public()
  live() {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Access.public()
  async ready() {
    if (!this.readiness.isServing) throw new NotReady(this.readiness.state);
    if (!(await this.databaseAnswers())) throw new NotReady('the database is away');
    return { status: 'ok' };
  }

  private async databaseAnswers(): Promise<boolean> {
    try {
      await this.database.ping();
      return this.readiness.isReady;
    } catch {
      return false;
    }
  }
}

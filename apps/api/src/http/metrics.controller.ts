import { timingSafeEqual } from 'node:crypto';
import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { unauthenticated } from '@muster/domain/errors';
import { Access } from '../auth/access.js';
import { SETTINGS } from '../runtime.js';
import type { Settings } from '../settings.js';
import { Metrics } from './metrics.js';

@ApiExcludeController()
@Controller()
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('metrics')
  @Access.public()
  async read(@Headers('authorization') authorization: string | undefined, @Res() reply: FastifyReply) {
    const token = this.settings.MUSTER_METRICS_TOKEN;
    if (token !== null && !sameText(authorization ?? '', `Bearer ${token}`)) {
      throw unauthenticated('Metrics want their own token');
    }
    reply
      .header('content-type', this.metrics.registry.contentType)
      .send(await this.metrics.registry.metrics());
  }
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

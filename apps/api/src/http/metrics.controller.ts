import { timingSafeEqual } from 'node:crypto';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unauthenticated } from '@muster/domain/errors';
import { Access } from '../auth/access.js';
import { Denials } from '../auth/denials.js';
import { SETTINGS } from '../runtime.js';
import type { Settings } from '../settings.js';
import { Metrics } from './metrics.js';

@ApiExcludeController()
@Controller()
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly denials: Denials,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('metrics')
  @Access.public()
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { authorization } = request.headers;
    const token = this.settings.MUSTER_METRICS_TOKEN;
    if (token !== null && !sameText(authorization ?? '', `Bearer ${token}`)) {
      if (authorization !== undefined) {
        this.denials.note({
          eventType: 'auth_failed',
          actor: `address:${request.ip}`,
          description: 'A credential was refused',
          data: { route: '/metrics' },
        });
      }
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

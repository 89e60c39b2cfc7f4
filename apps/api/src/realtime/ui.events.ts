import { Injectable } from '@nestjs/common';
import { Access } from '../auth/access.js';
import { ClientEvent } from './client-event.js';
import type { ClientSocket } from './client-socket.js';
import { EventFeed } from './event-feed.js';

@Injectable()
export class UiEvents {
  constructor(private readonly feed: EventFeed) {}

  /** From here on the socket hears of everything that its role may read. */
  @ClientEvent('ui:subscribe', null)
  @Access.readers()
  async subscribe(socket: ClientSocket): Promise<{ seq: number }> {
    return { seq: await this.feed.subscribe(socket) };
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS, type AccessRule } from '../auth/access.js';
import { CLIENT_EVENT, type ClientEventDeclaration } from './client-event.js';
import type { ClientSocket } from './client-socket.js';

export interface KnownEvent extends ClientEventDeclaration {
  /** Undefined: nobody thought of it, so nobody may. */
  readonly access: AccessRule | undefined;
  readonly handle: (socket: ClientSocket, message?: object) => unknown;
}

type Methods = Record<string, (...given: unknown[]) => unknown>;

/** Every event that clients may send, found wherever `@ClientEvent` declares one. */
@Injectable()
export class ClientEvents implements OnModuleInit {
  private readonly known = new Map<string, KnownEvent>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    for (const { instance } of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      if (typeof instance === 'object' && instance !== null) this.addFrom(instance as Methods);
    }
  }

  find(name: unknown): KnownEvent | undefined {
    return typeof name === 'string' ? this.known.get(name) : undefined;
  }

  all(): KnownEvent[] {
    return [...this.known.values()];
  }

  private addFrom(instance: Methods): void {
    for (const method of this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object)) {
      const handler = instance[method];
      if (typeof handler !== 'function') continue;
      const event = this.reflector.get<ClientEventDeclaration | undefined>(CLIENT_EVENT, handler);
      if (!event) continue;
      if (this.known.has(event.name)) throw new Error(`The event ${event.name} has two handlers`);
      const access = this.reflector.get<AccessRule | undefined>(ACCESS, handler);
      this.known.set(event.name, { ...event, access, handle: handler.bind(instance) });
    }
  }
}

import { RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ACCESS, type AccessRule } from '../../../apps/api/src/auth/access.js';

/** `GET /api/users/:id`. */
export type Route = string;

/** Every route that the HTTP server answers, whoever put it there. HEAD comes with every GET. */
export function servedRoutes(app: NestFastifyApplication): Route[] {
  const tree = app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
  const parents: string[] = [];
  const routes: Route[] = [];
  for (const line of tree.split('\n')) {
    const match = /^([│├└─\s]*)(\S+)(?: \(([A-Z, -]+)\))?/u.exec(line);
    if (!match?.[2]) continue;
    const depth = Math.floor(match[1]!.length / 4);
    const url = (depth > 1 ? parents[depth - 1]! : '') + match[2];
    parents[depth] = url;
    for (const method of match[3]?.split(', ') ?? []) if (method !== 'HEAD') routes.push(`${method} ${url}`);
  }
  return routes.sort();
}

/** The routes of our controllers, with what each declares about who may call it. */
export function controllerRoutes(app: NestFastifyApplication): Map<Route, AccessRule | undefined> {
  const scanner = new MetadataScanner();
  const routes = new Map<Route, AccessRule | undefined>();
  for (const { metatype } of app.get(DiscoveryService).getControllers()) {
    const prototype = metatype?.prototype as Record<string, object>;
    const prefix = Reflect.getMetadata('path', metatype as object) as string;
    for (const name of scanner.getAllMethodNames(prototype)) {
      const handler = prototype[name]!;
      const method = Reflect.getMetadata('method', handler) as RequestMethod | undefined;
      if (method === undefined) continue;
      const parts = [prefix, Reflect.getMetadata('path', handler) as string];
      const url = parts.map((part) => part.replace(/^\/+|\/+$/g, '')).filter(Boolean);
      routes.set(
        `${RequestMethod[method]} /${url.join('/')}`,
        Reflect.getMetadata(ACCESS, handler) as AccessRule | undefined,
      );
    }
  }
  return routes;
}

import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiProperty, DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage } from 'class-validator';
import { validationMetadatasToSchemas } from 'class-validator-jsonschema';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Schema = Record<string, unknown> & { properties?: Record<string, object>; required?: string[] };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const ABOUT =
  'Control plane for compute that you cannot reach. Errors are RFC 9457 problem documents with a stable `code`. ' +
  'A POST may carry an `Idempotency-Key`: the same key and body give the same answer for 24 hours.';

/**
 * The API's description of itself. Messages are described by what validates them (the class-validator rules
 * of libs/protocol), routes by their controllers, and who may call by `@Access`: nothing is said twice.
 */
export function describeApi(app: NestFastifyApplication, version: string): OpenAPIObject {
  const schemas = messageSchemas();
  announceProperties(schemas);
  const config = new DocumentBuilder()
    .setTitle('Muster')
    .setDescription(ABOUT)
    .setVersion(version)
    .setOpenAPIVersion('3.1.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'A JWT of /api/auth/login, or an API key (mst_…)',
    })
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}.${method}`,
  });
  const mentioned = Object.keys(document.components?.schemas ?? {});
  document.components = {
    ...document.components,
    schemas: reachable(schemas, [...mentioned, 'Problem']) as never,
  };
  for (const operation of operationsOf(document)) addProblems(operation);
  return document;
}

/** At /api/openapi.json, with a page to read it at /api/docs. */
export function serveApiDescription(app: NestFastifyApplication, version: string): void {
  SwaggerModule.setup('api/docs', app, describeApi(app, version), {
    jsonDocumentUrl: 'api/openapi.json',
    yamlDocumentUrl: 'api/openapi.yaml',
    customSiteTitle: 'Muster API',
  });
}

function messageSchemas(): Record<string, Schema> {
  return validationMetadatasToSchemas({
    classTransformerMetadataStorage: defaultMetadataStorage,
    refPointerPrefix: '#/components/schemas/',
  }) as Record<string, Schema>;
}

/** Tells Nest's explorer the properties that class-validator knows; for a query it lists them one by one. */
function announceProperties(schemas: Record<string, Schema>): void {
  const storage = getMetadataStorage() as unknown as { validationMetadatas: Map<new () => object, unknown> };
  for (const message of storage.validationMetadatas.keys()) {
    const { properties = {}, required = [] } = schemas[message.name] ?? {};
    for (const [property, schema] of Object.entries(properties)) {
      ApiProperty({ ...schema, required: required.includes(property) } as never)(message.prototype, property);
    }
  }
}

/** The named schemas and whatever they refer to, in turn. */
function reachable(schemas: Record<string, Schema>, names: string[]): Record<string, Schema> {
  const found = new Map<string, Schema>();
  const visit = (name: string): void => {
    const schema = schemas[name];
    if (!schema || found.has(name)) return;
    found.set(name, schema);
    for (const [, referred] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      visit(referred!);
  };
  names.forEach(visit);
  return Object.fromEntries([...found].sort(([left], [right]) => left.localeCompare(right)));
}

function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.values(document.paths).flatMap((path) => METHODS.flatMap((method) => path[method] ?? []));
}

/** What any call may answer besides what it promises; a call that takes an id, or a body, may answer more. */
function addProblems(operation: Operation): void {
  const statuses = [429, 503];
  if (operation.requestBody || operation.parameters?.length) statuses.push(400);
  if (operation.requestBody) statuses.push(413, 422);
  if (operation.security) statuses.push(401, 403);
  if (operation.parameters?.some((parameter) => 'in' in parameter && parameter.in === 'path'))
    statuses.push(404);
  if (operation.requestBody) statuses.push(409);
  for (const status of statuses.sort()) {
    operation.responses[status] ??= {
      description: DESCRIPTIONS[status]!,
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    };
  }
}

const DESCRIPTIONS: Record<number, string> = {
  400: 'Malformed',
  401: 'Who are you?',
  403: 'Not allowed',
  404: 'None such',
  409: 'In conflict with the current state',
  413: 'Too large',
  422: 'Well-formed, but not acceptable',
  429: 'Too many; see Retry-After',
  503: 'The database is away; see Retry-After',
};

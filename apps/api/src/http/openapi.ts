import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ApiProperty,
  ApiResponse,
  DocumentBuilder,
  SwaggerModule,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { ALWAYS_THERE } from '@muster/protocol/nullable';
import { Problem } from '@muster/protocol/problem';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage } from 'class-validator';
import { validationMetadatasToSchemas } from 'class-validator-jsonschema';
import { COOKIE_NAME } from '../auth/cookie.js';

type Method = (typeof METHODS)[number];
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Schema = Record<string, unknown> & { properties?: Record<string, object>; required?: string[] };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const TIME = { type: 'string', format: 'date-time' } as const;
const ABOUT =
  'Control plane for compute that you cannot reach. Errors are RFC 9457 problem documents with a stable `code`. ' +
  'A POST may carry an `Idempotency-Key`: the same key and body give the same answer for 24 hours.';

/**
 * The API's description of itself. Messages are described by what validates them (the class-validator rules
 * of libs/protocol), routes by their controllers, and who may call by `@Access`: nothing is said twice.
 */
function describeApi(app: NestFastifyApplication, version: string): OpenAPIObject {
  const schemas = messageSchemas();
  announceProperties(schemas);
  const config = new DocumentBuilder()
    .setTitle('Muster')
    .setDescription(ABOUT)
    .setVersion(version)
    .setOpenAPIVersion('3.1.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'A JWT of /api/auth/login, or an API key (mst_…)',
    })
    .addCookieAuth(COOKIE_NAME, {
      type: 'apiKey',
      description: 'For browsers; __Host-muster_session over https',
    })
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}.${method}`,
  });
  const mentioned = Object.keys(document.components?.schemas ?? {});
  document.components = {
    ...document.components,
    schemas: reachable(schemas, [...mentioned, Problem.name]) as never,
  };
  for (const [method, operation] of operationsOf(document)) complete(method, operation);
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
  const schemas = validationMetadatasToSchemas({
    classTransformerMetadataStorage: defaultMetadataStorage,
    refPointerPrefix: '#/components/schemas/',
    additionalConverters: {
      isDateString: TIME,
      isTime: TIME,
      isObject: { type: 'object', additionalProperties: true },
    },
  }) as Record<string, Schema>;
  for (const schema of Object.values(schemas)) requireNullable(schema);
  return schemas;
}

function requireNullable(schema: Schema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!(ALWAYS_THERE in property)) continue;
    delete property[ALWAYS_THERE];
    schema.required = [...(schema.required ?? []), name];
  }
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

function operationsOf(document: OpenAPIObject): Array<[method: Method, operation: Operation]> {
  return Object.values(document.paths).flatMap((path) =>
    METHODS.flatMap((method) => (path[method] ? [[method, path[method]] as [Method, Operation]] : [])),
  );
}

/** What all calls of a kind have in common, so that no controller need repeat it. */
function complete(method: Method, operation: Operation): void {
  const isPublic = operation.security === undefined;
  operation.security ??= [];
  if (method === 'post' && !isPublic)
    operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
  for (const [status, response] of Object.entries(operation.responses)) {
    if (response && 'description' in response) response.description ||= DESCRIPTIONS[Number(status)]!;
  }
  for (const status of problemsOf(method, operation, isPublic))
    operation.responses[status] ??= problem(status);
}

/** What a call may answer besides what it promises. */
function problemsOf(
  method: Method,
  { requestBody, parameters = [] }: Operation,
  isPublic: boolean,
): number[] {
  const takesId = parameters.some((parameter) => 'in' in parameter && parameter.in === 'path');
  const changes = method !== 'get';
  const rules: Array<[holds: boolean, statuses: number[]]> = [
    [true, [429, 503]],
    [!isPublic, [401, 403]],
    // Also where no body is wanted: one that comes along is read, and must be readable.
    [changes, [400, 403, 413, 415, 422]],
    [parameters.length > 0, [400]],
    [requestBody !== undefined, [409]],
    [takesId, [404, 414]],
  ];
  return rules.flatMap(([holds, statuses]) => (holds ? statuses : []));
}

/** For a controller whose call answers a problem that calls of its kind usually do not. */
export const AnswersProblem = (status: number) => ApiResponse({ status, ...(problem(status) as object) });

function problem(status: number) {
  return {
    description: DESCRIPTIONS[status]!,
    content: { 'application/problem+json': { schema: { $ref: `#/components/schemas/${Problem.name}` } } },
    ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
  };
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'In so many seconds it may be tried again.',
    schema: { type: 'integer' as const },
  },
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  required: false,
  description: 'The same key and body give the same answer for 24 hours, unless it holds a secret.',
  schema: { type: 'string' as const, minLength: 1, maxLength: 255 },
};

const DESCRIPTIONS: Record<number, string> = {
  200: 'Done',
  201: 'Created',
  204: 'Done; there is nothing to say',
  400: 'Malformed',
  401: 'Who are you?',
  403: 'Not allowed',
  404: 'None such',
  409: 'In conflict with the current state',
  413: 'Too large',
  414: 'The address is too long',
  415: 'Not JSON',
  422: 'Well-formed, but not acceptable',
  429: 'Too many; see Retry-After',
  503: 'The database is away; see Retry-After',
};

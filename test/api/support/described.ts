import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { projectRoot } from '@muster/data/project-root';
import type { Answer, Client } from '../../support/client.js';

/* What of OpenAPI these tests look at. */
export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: string[];
  readonly security?: Array<Record<string, string[]>>;
  readonly 'x-roles'?: string[];
  readonly parameters?: Array<{ name: string; in: string; required: boolean; schema: object }>;
  readonly requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  readonly responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

export interface Description {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

export const descriptionFile = path.join(projectRoot(), 'docs', 'openapi.json');

/** The committed description; another test holds it against the one that is served. */
export function committedDescription(): Description {
  return JSON.parse(readFileSync(descriptionFile, 'utf8')) as Description;
}

/** A client whose every answer must be one that the description announces. */
export function described(client: Client): Client {
  return async (method, url, body, headers) => {
    const answer = await client(method, url, body, headers);
    expectDescribed(method, url, answer);
    return answer;
  };
}

/** Fails unless the status, the content type and every field of the answer are in the description. */
export function expectDescribed(method: string, url: string, answer: Answer): void {
  const operation = operationFor(method, url);
  if (!operation) return;
  const said = `${method} ${url.slice(0, 200)} answered ${answer.status}`;
  const response = operation.responses[String(answer.status)];
  if (!response) throw new Error(`${said}, which its description does not mention`);
  const type = answer.headers.get('content-type')?.split(';')[0];
  if (!response.content) {
    if (answer.body !== '') throw new Error(`${said} with a body, but its description has none`);
    return;
  }
  const content = type === undefined ? undefined : response.content[type];
  if (!content) throw new Error(`${said} as ${type}, which its description does not mention`);
  const isValid = validator(content.schema);
  if (!isValid(answer.body)) {
    throw new Error(`${said} with what it should not: ${JSON.stringify(isValid.errors)}`);
  }
}

function operationFor(method: string, url: string): Operation | undefined {
  const pathOnly = url.split('?')[0]!;
  const found = Object.entries(description().paths).find(([template]) => patternOf(template).test(pathOnly));
  return found?.[1][method.toLowerCase()];
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
}

let known: Description | undefined;
const description = () => (known ??= committedDescription());

let ajv: Ajv2020 | undefined;
const validators = new Map<string, ValidateFunction>();

function validator(schema: object): ValidateFunction {
  const name = JSON.stringify(schema);
  let compiled = validators.get(name);
  if (!compiled) {
    ajv ??= createAjv();
    const local = JSON.parse(name.replaceAll('#/components/', 'description#/components/')) as object;
    validators.set(name, (compiled = ajv.compile(closed(local) as object)));
  }
  return compiled;
}

function createAjv(): Ajv2020 {
  const created = new Ajv2020({ strict: false, allErrors: true });
  formats.default(created);
  return created.addSchema({ components: closed(description().components) }, 'description');
}

/** A field that the description does not know is a drift too, and may be a secret. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)]));
  const isOpen = 'type' in parts && 'properties' in parts && !('additionalProperties' in parts);
  return isOpen ? { ...parts, additionalProperties: false } : parts;
}

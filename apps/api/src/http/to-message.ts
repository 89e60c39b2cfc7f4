import { TransformationType } from 'class-transformer';
import { defaultMetadataStorage as storage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage } from 'class-validator';

type Message = new () => object;
type Plain = Readonly<Record<string, unknown>>;
type Convert = (value: unknown, plain: Plain) => unknown;

/**
 * Makes a message of what a parser made of JSON or of a query, as class-transformer would, by the message's
 * `@Type` and `@Transform`. But what a message does not describe, above all a document that somebody wants
 * kept, stays as it was sent: class-transformer copies it field by field, slowly, and loses every field that is
 * called like something that all objects inherit.
 */
export function toMessage(message: Message, plain: unknown): unknown {
  if (!isPlain(plain)) return plain;
  const conversions = conversionsOf(message);
  const made = new message() as Record<string, unknown>;
  for (const [field, value] of Object.entries(plain)) {
    // Neither a method nor what decides which rules hold can be sent.
    if (field in message.prototype) continue;
    const convert = conversions.get(field);
    made[field] = convert ? convert(value, plain) : value;
  }
  return made;
}

const known = new WeakMap<Message, ReadonlyMap<string, Convert>>();

function conversionsOf(message: Message): ReadonlyMap<string, Convert> {
  const conversions = known.get(message) ?? readConversions(message);
  known.set(message, conversions);
  return conversions;
}

function readConversions(message: Message): ReadonlyMap<string, Convert> {
  if (storage.getExposedMetadatas(message).length + storage.getExcludedMetadatas(message).length > 0) {
    throw new Error(`${message.name}: @Expose and @Exclude do nothing in a message that comes in`);
  }
  const conversions = new Map<string, Convert>();
  for (const field of fieldsOf(message)) {
    const steps = [...typeOf(message, field), ...transformsOf(message, field)];
    if (steps.length > 0) {
      conversions.set(field, (value, plain) => steps.reduce((result, step) => step(result, plain), value));
    }
  }
  return conversions;
}

function typeOf(message: Message, field: string): Convert[] {
  const declared = storage.findTypeMetadata(message, field);
  if (!declared) return [];
  const type: unknown = declared.options.discriminator ? undefined : declared.typeFunction();
  // In a query every number is text. In JSON it is one already, and nothing else becomes one.
  if (type === Number) return [each((value) => (typeof value === 'string' ? Number(value) : value))];
  if (typeof type === 'function' && fieldsOf(type as Message).size > 0) {
    return [each((value) => toMessage(type as Message, value))];
  }
  throw new Error(`${message.name}.${field}: @Type names a message or Number`);
}

function transformsOf(message: Message, field: string): Convert[] {
  const type = TransformationType.PLAIN_TO_CLASS;
  return storage.findTransformMetadatas(message, field, type).map(
    ({ transformFn }) =>
      (value, obj) =>
        transformFn({ value, key: field, obj, type, options: {} }),
  );
}

function each(convert: (value: unknown) => unknown): (value: unknown) => unknown {
  const convertEach = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(convertEach) : convert(value);
  return convertEach;
}

function fieldsOf(message: Message): Set<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(message, '', false, false);
  return new Set(rules.map((rule) => rule.propertyName));
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

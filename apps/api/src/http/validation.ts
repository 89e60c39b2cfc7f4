import {
  ValidationPipe,
  type ArgumentMetadata,
  type Type,
  type ValidationError,
  type ValidationPipeOptions,
} from '@nestjs/common';
import { malformed } from '@muster/domain/errors';
import type { FieldProblem } from '@muster/protocol/problem';
import { getMetadataStorage } from 'class-validator';
import { toMessage } from './to-message.js';

const options: ValidationPipeOptions = {
  transform: true,
  whitelist: true,
  forbidNonWhitelisted: true,
  // A DTO that class-validator knows nothing about would let everything through.
  forbidUnknownValues: true,
  stopAtFirstError: false,
  validationError: { target: false, value: false },
  exceptionFactory: (errors) => refusal(fieldsOf(errors)),
  transformerPackage: {
    plainToInstance: <T>(message: Type<T>, plain: unknown) => toMessage(message as Type<object>, plain) as T,
    // Never called, since what is handed on is the message itself.
    classToPlain: (message) => message as Record<string, unknown>,
  },
};

/** class-validator takes what every object inherits for a field that it knows. */
class StrictValidation extends ValidationPipe {
  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const inherited = Object.keys(Object(value) as object).filter((field) => field in Object.prototype);
    if (metadata.type !== 'custom' && inherited.length > 0) {
      throw refusal(inherited.map((field) => ({ field, message: `property ${field} should not exist` })));
    }
    return super.transform(value, metadata) as Promise<unknown>;
  }

  // JSON has no gaps, and what could poison a prototype was refused before it was parsed: there is nothing to
  // mend, and mending would take fields out of documents that are to be kept as they are.
  protected override closeArrayGaps(): void {}
  protected override stripProtoKeys(): void {}
}

function refusal(errors: FieldProblem[]) {
  return malformed('VALIDATION_FAILED', 'The request is not what this call takes', { errors });
}

/** For people and client programs: a field that is not known is refused, because it is probably misspelt. */
export const strictValidation = (): ValidationPipe => new StrictValidation(options);

function fieldsOf(errors: ValidationError[], parent = ''): FieldProblem[] {
  return errors.flatMap((error) => {
    const field = parent ? `${parent}.${error.property}` : error.property;
    const own = Object.values(error.constraints ?? {}).map((message) => ({ field, message }));
    return [...own, ...fieldsOf(error.children ?? [], field)];
  });
}

rememberRules();

/**
 * class-validator gathers a message's rules anew for every message, and asks each class of the product whether
 * it is a parent. Rules are fixed once their class is defined, so the first answer holds.
 */
function rememberRules(): void {
  const storage = getMetadataStorage();
  const gather = storage.getTargetValidationMetadatas.bind(storage);
  const remembered = new WeakMap<object, ReturnType<typeof gather>>();
  storage.getTargetValidationMetadatas = (message, schema, always, strictGroups, groups) => {
    const isUsual = typeof message === 'function' && !always && !strictGroups && !groups;
    if (!isUsual) return gather(message, schema, always, strictGroups, groups);
    const rules = remembered.get(message) ?? gather(message, schema, always, strictGroups);
    remembered.set(message, rules);
    return rules;
  };
}

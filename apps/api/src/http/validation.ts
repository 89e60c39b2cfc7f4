import { ValidationPipe, type ValidationError, type ValidationPipeOptions } from '@nestjs/common';
import { malformed } from '@muster/domain/errors';
import { getMetadataStorage } from 'class-validator';

const options: ValidationPipeOptions = {
  transform: true,
  whitelist: true,
  forbidNonWhitelisted: true,
  // A DTO that class-validator knows nothing about would let everything through.
  forbidUnknownValues: true,
  stopAtFirstError: false,
  validationError: { target: false, value: false },
  exceptionFactory: (errors) =>
    malformed('VALIDATION_FAILED', 'The request is not what this call takes', { errors: fieldsOf(errors) }),
};

/** For people and client programs: a field that is not known is refused, because it is probably misspelt. */
export const strictValidation = () => new ValidationPipe(options);

function fieldsOf(errors: ValidationError[], parent = ''): Array<{ field: string; message: string }> {
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
    if (always || strictGroups || groups) return gather(message, schema, always, strictGroups, groups);
    const rules = remembered.get(message) ?? gather(message, schema, always, strictGroups);
    remembered.set(message, rules);
    return rules;
  };
}

import { ValidateIf } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

/** Marks the schema of a field that is always there, for whoever completes the message's schema. */
export const ALWAYS_THERE = 'x-always-there';

/** The field is always there, but may be null. */
export function Nullable(): PropertyDecorator {
  return (target, property) => {
    ValidateIf((_, value) => value !== null)(target, property);
    // A conditional validation looks like an optional field to whoever makes a schema of it.
    JSONSchema((schema) => ({ ...orNull(schema), [ALWAYS_THERE]: true }))(target, property as string);
  };
}

/** The field may be left out, or be null, which means the same. */
export function OptionalOrNull(): PropertyDecorator {
  return (target, property) => {
    ValidateIf((_, value) => value !== undefined && value !== null)(target, property);
    JSONSchema(orNull)(target, property as string);
  };
}

/** The field may be left out. Unlike `@IsOptional()`, this does not let null pass for a value. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

function orNull(schema: object) {
  return { anyOf: [schema, { type: 'null' }] as never };
}

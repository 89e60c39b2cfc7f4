import { ValidateIf } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

/** The field is always there, but may be null. */
export function Nullable(): PropertyDecorator {
  return (target, property) => {
    ValidateIf((_, value) => value !== null)(target, property);
    JSONSchema((schema) => ({ anyOf: [schema, { type: 'null' }] as never }))(target, property as string);
  };
}

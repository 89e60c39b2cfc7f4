import { describe, expect, it } from '@jest/globals';
import { Fault } from '@muster/domain/errors';
import { getMetadataStorage, IsInt, IsString, Min } from 'class-validator';
import { strictValidation } from './validation.js';

class Parent {
  @IsString()
  name: string;
}

class Child extends Parent {
  @IsInt()
  @Min(1)
  age: number;
}

const refusal = async (type: new () => object, value: unknown): Promise<unknown> => {
  const outcome = await strictValidation()
    .transform(value, { type: 'body', metatype: type })
    .catch((error: unknown) => error);
  return outcome instanceof Fault ? outcome.details?.errors : outcome;
};

describe('the validation of a message', () => {
  it('holds a message to its own rules and to those of its parent, every time', async () => {
    for (let time = 0; time < 2; time++) {
      expect(await refusal(Parent, { name: 'x' })).toBeInstanceOf(Parent);
      expect(await refusal(Child, { name: 'x', age: 1 })).toBeInstanceOf(Child);
      expect(await refusal(Parent, { name: 'x', age: 1 })).toMatchObject([{ field: 'age' }]);
      expect(await refusal(Child, { name: 1, age: 0 })).toMatchObject([{ field: 'age' }, { field: 'name' }]);
    }
  });

  it('gathers the rules of a message once', async () => {
    const gather = () => getMetadataStorage().getTargetValidationMetadatas(Child, '', false, false);
    expect(gather()).toBe(gather());
    expect(gather().map((rule) => rule.propertyName)).toEqual(['age', 'age', 'name']);
  });
});

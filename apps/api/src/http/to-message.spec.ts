import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { plainToInstance, Transform, Type } from 'class-transformer';
import { IsArray, IsInt, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import fc from 'fast-check';
import { toMessage } from './to-message.js';

class Part {
  @IsString()
  name: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Part)
  within?: Part;

  greet() {
    return this.name;
  }
}

class Whole {
  @IsInt()
  @Type(() => Number)
  limit = 50;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Part)
  parts: Part[];

  @IsOptional()
  @Transform(({ value, obj }) => `${String(value)} of ${String((obj as Whole).limit)}`)
  share?: string;

  @IsObject()
  data: object;
}

describe('what was sent becomes a message', () => {
  it('as class-transformer would make it', () => {
    const field = fc.constantFrom('parts', 'share', 'data', 'name', 'within', 'greet', 'other');
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.string(),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(field, tie('json'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    const number = fc.oneof(fc.integer(), fc.integer().map(String), fc.string(), fc.array(fc.string()));
    const sent = fc.tuple(
      fc.dictionary(field, json, { noNullPrototype: true }),
      fc.record({ limit: number }, { requiredKeys: [], noNullPrototype: true }),
    );
    fc.assert(
      fc.property(sent, ([fields, limit]) => {
        const plain = { ...fields, ...limit };
        expect(toMessage(Whole, structuredClone(plain))).toStrictEqual(plainToInstance(Whole, plain));
      }),
    );
  });

  it('in which only text becomes a number', () => {
    const unfit = { valueOf: 1, toString: 1 };
    const limits = ['12', 12, true, null, unfit].map((limit) => (toMessage(Whole, { limit }) as Whole).limit);
    expect(limits).toEqual([12, 12, true, null, unfit]);
  });

  it('but leaves a document as it is, whatever its fields are called', () => {
    const document = '{"constructor":"x","toString":1,"a":[{"prototype":{},"valueOf":null}]}';
    const made = toMessage(Whole, JSON.parse(`{"data":${document}}`)) as Whole;
    expect(JSON.stringify(made.data)).toBe(document);
  });

  it('with its methods and its class, whatever was sent', () => {
    const made = toMessage(
      Part,
      JSON.parse('{"name":"x","greet":1,"constructor":2,"__proto__":{"a":1}}'),
    ) as Part;
    expect(made).toStrictEqual(Object.assign(new Part(), { name: 'x' }));
    expect(made.greet()).toBe('x');
  });

  it('and a type that it cannot make is a mistake of ours', () => {
    class Odd {
      @IsOptional()
      @Type(() => Date)
      at?: Date;
    }
    expect(() => toMessage(Odd, {})).toThrow('Odd.at: @Type names a message or Number');
  });
});

import { Type } from 'class-transformer';
import { IsArray, IsInt, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';

export class FieldProblem {
  @IsString()
  field: string;

  @IsString()
  message: string;
}

/** RFC 9457, `application/problem+json`: what every error answers. */
export class Problem {
  @IsString()
  type: string;

  @IsString()
  title: string;

  @IsInt()
  status: number;

  @IsString()
  detail: string;

  @IsString()
  instance: string;

  /** Stable; programs depend on it. */
  @IsString()
  code: string;

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => FieldProblem)
  errors?: FieldProblem[];

  /** For 409: the state that the request collided with. */
  @IsOptional()
  @IsObject()
  current?: Record<string, unknown>;
}

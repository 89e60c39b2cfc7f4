import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/** What every list takes. */
export class ListQuery {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_LIMIT)
  @JSONSchema({ default: DEFAULT_LIMIT, description: 'How many at the most.' })
  limit: number = DEFAULT_LIMIT;

  @IsOptional()
  @IsString()
  @MaxLength(500)
  @JSONSchema({ description: '`nextCursor` of the page before.' })
  cursor?: string;
}

/** What every list answers. */
export interface Page<Item> {
  items: Item[];
  /** Null on the last page. */
  nextCursor: string | null;
}

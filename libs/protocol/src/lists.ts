import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 500;

/** What every list takes. */
export class ListQuery {
  /** How many at the most. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_LIMIT)
  limit: number = DEFAULT_LIMIT;

  /** `nextCursor` of the page before. */
  @IsOptional()
  @IsString()
  @MaxLength(500)
  cursor?: string;
}

/** What every list answers. */
export interface Page<Item> {
  items: Item[];
  /** Null on the last page. */
  nextCursor: string | null;
}

import { Param, type PipeTransform } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { malformed } from '@muster/domain/errors';

class IdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!isUUID(value, 'loose'))
      throw malformed('BAD_ID', 'An id is a UUID', {
        errors: [{ field: 'id', message: 'id must be a UUID' }],
      });
    return value.toLowerCase();
  }
}

/** `:id` of the path: 400 unless it is a UUID. */
export const Id = () => Param('id', IdPipe);

import { Body, Controller, Post } from '@nestjs/common';
import { Database } from '@muster/data/database';
import { IsInt, IsNotEmpty, IsObject, IsString, Max, MaxLength, Min } from 'class-validator';
import { Access } from '../../../apps/api/src/auth/access.js';
import { Metrics } from '../../../apps/api/src/http/metrics.js';
import { Rows, type Kept, type Wish } from './rows.js';

export class KeepRow implements Wish {
  @IsString()
  @IsNotEmpty()
  @MaxLength(100)
  name: string;

  @IsInt()
  @Min(0)
  @Max(10)
  priority: number;

  @IsObject()
  data: Record<string, unknown>;
}

/** A route like any other of the API's hot ones, once for each way to write. */
@Controller('bench/rows')
export class RowsController {
  readonly rows: Rows;

  constructor(database: Database, metrics: Metrics) {
    this.rows = new Rows(database, (size) => metrics.batches.observe({ writer: 'bench_rows' }, size));
  }

  @Post('coalesced')
  @Access('admin', 'client')
  keepCoalesced(@Body() request: KeepRow): Promise<Kept> {
    return this.rows.keepCoalesced(request);
  }

  @Post('alone')
  @Access('admin', 'client')
  keepAlone(@Body() request: KeepRow): Promise<Kept> {
    return this.rows.keepAlone(request);
  }
}

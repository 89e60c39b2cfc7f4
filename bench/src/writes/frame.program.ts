import type { AddressInfo } from 'node:net';
import { createServer } from '../../../apps/api/src/http/server.js';
import { readSettings } from '../../../apps/api/src/settings.js';
import { shutDownOnSignal } from '../../../apps/api/src/shut-down.js';
import { assemble } from '../../../apps/api/src/start.js';
import { cpuMicros } from '../support/cpu.js';
import { answer } from '../support/program.js';
import { RowsController } from './rows.controller.js';

// The API as it is, with its default settings and one more controller.
const runtime = assemble(readSettings(process.env));
const app = await createServer(runtime, [RowsController]);
shutDownOnSignal(runtime, app);
await app.listen(0, '127.0.0.1');
runtime.bus.start();
runtime.readiness.serve();

const { port } = app.getHttpServer().address() as AddressInfo;
const { rows } = app.get(RowsController);
answer({ figures: () => ({ ...rows.figures, cpuMicros: cpuMicros() }) }, `http://127.0.0.1:${port}`);

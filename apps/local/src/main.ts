import { run } from './run.js';

process.exit(await run({ development: process.argv.includes('--development') }));

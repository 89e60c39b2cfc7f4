import path from 'node:path';
import { parseArgs } from 'node:util';
import { InvalidRun, type Benchmark, type Scope } from './support/benchmark.js';
import { print } from './support/print.js';
import { writes } from './writes/writes.js';

const benchmarks: readonly Benchmark[] = [writes];

const usage = [
  'npm run bench [-- <name> … [options]]     all benchmarks, or those named',
  '',
  ...benchmarks.map(({ name, about }) => `  ${name.padEnd(10)}${about}`),
  '',
  '  --seconds <number>    how long a contestant works in each round (1)',
  '  --rounds <number>     how many rounds; the median counts (15)',
  '  --json                the reports as JSON on stdout, progress on stderr',
  '  --profile <folder>    write CPU profiles of the contestants there; the figures suffer',
  '  --help                this',
].join('\n');

class Misused extends Error {}

/** Runs what the arguments name and returns the exit code. */
export async function run(args: string[]): Promise<number> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interruption.abort(new Error(`Ended by ${signal}`)));
  }
  try {
    const { help, json, chosen, ...scope } = read(args);
    if (help) {
      console.log(usage);
      return 0;
    }
    for (const benchmark of chosen) {
      const progress = (line: string) => console.error(line);
      const report = await benchmark.run({ ...scope, progress, signal: interruption.signal });
      console.log(json ? JSON.stringify(report, null, 2) : `\n${print(report)}\n`);
    }
    return 0;
  } catch (error) {
    if (interruption.signal.aborted) {
      console.error((interruption.signal.reason as Error).message);
      return 130;
    }
    if (!(error instanceof Misused) && !(error instanceof InvalidRun)) throw error;
    console.error(error.message);
    return error instanceof Misused ? 2 : 1;
  }
}

type Wish = Pick<Scope, 'seconds' | 'rounds' | 'profileTo'> & {
  readonly help: boolean;
  readonly json: boolean;
  readonly chosen: readonly Benchmark[];
};

function read(args: string[]): Wish {
  const { values, positionals } = parse(args);
  const chosen = positionals.map((name) => {
    const found = benchmarks.find((benchmark) => benchmark.name === name);
    if (!found) throw new Misused(`There is no benchmark "${name}".\n\n${usage}`);
    return found;
  });
  return {
    help: values.help,
    json: values.json,
    chosen: chosen.length > 0 ? chosen : benchmarks,
    seconds: within('seconds', values.seconds, 0.5, 20),
    rounds: within('rounds', values.rounds, 1, 50),
    profileTo: values.profile === undefined ? undefined : path.resolve(values.profile),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        seconds: { type: 'string', default: '1' },
        rounds: { type: 'string', default: '15' },
        json: { type: 'boolean', default: false },
        profile: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new Misused(`${(error as Error).message}\n\n${usage}`);
  }
}

function within(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most)) {
    throw new Misused(`--${option} takes a number from ${least} to ${most}, not "${text}".`);
  }
  return option === 'rounds' ? Math.round(value) : value;
}

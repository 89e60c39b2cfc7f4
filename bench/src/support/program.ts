import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Scope } from './benchmark.js';

/** The answers of programs to the questions of the process that measures, over the channel between them. */
interface Question {
  readonly number: number;
  readonly name: string;
  readonly argument: unknown;
}

interface Answer {
  readonly number: number;
  readonly value?: unknown;
  readonly error?: string;
}

const READY = 0;
const KEPT_OUTPUT = 4_000;
const START_MS = 30_000;
const STOP_MS = 12_000;

/** A process of its own, so that what is measured and what measures do not share an event loop. */
export class Program {
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private readonly gone: Promise<unknown>;
  private asked = READY;
  private output = '';

  private constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
    private readonly signal: AbortSignal,
  ) {
    this.gone = once(child, 'exit').then(() => this.settleAll());
    child.on('message', (answer: Answer) => this.waiting.get(answer.number)?.(answer));
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-KEPT_OUTPUT);
      });
    }
  }

  /** Starts one of the compiled files and waits for what it says when it is ready. */
  static async start<Ready>(
    file: URL,
    environment: Record<string, string>,
    { signal, profileTo }: Pick<Scope, 'signal' | 'profileTo'>,
  ): Promise<{ program: Program; ready: Ready }> {
    const child = fork(file, {
      execArgv: profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const program = new Program(file.pathname.split('/').at(-1)!, child, signal);
    try {
      return { program, ready: (await program.answerTo(READY, START_MS)) as Ready };
    } catch (error) {
      await program.stop();
      throw error;
    }
  }

  ask<Value>(name: string, argument: unknown, limitMs: number): Promise<Value> {
    const number = ++this.asked;
    this.child.send({ number, name, argument } satisfies Question, () => {});
    return this.answerTo(number, limitMs) as Promise<Value>;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGTERM');
      const force = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
      await this.gone;
      clearTimeout(force);
    }
  }

  private async answerTo(number: number, limitMs: number): Promise<unknown> {
    const limit = AbortSignal.any([this.signal, AbortSignal.timeout(limitMs)]);
    const answer = await new Promise<Answer>((resolve, reject) => {
      const giveUp = () =>
        reject(this.signal.aborted ? this.signal.reason : new Error(this.complaint('is silent')));
      limit.addEventListener('abort', giveUp, { once: true });
      if (limit.aborted) giveUp();
      this.waiting.set(number, resolve);
      if (this.child.exitCode !== null || this.child.signalCode !== null) this.settleAll();
    }).finally(() => this.waiting.delete(number));
    if (answer.error !== undefined) throw new Error(`${this.name}: ${answer.error}`);
    return answer.value;
  }

  private settleAll(): void {
    for (const [number, settle] of this.waiting) settle({ number, error: this.complaint('has ended') });
  }

  private complaint(what: string): string {
    return `${this.name} ${what}. It last said:\n${this.output}`;
  }
}

/** The other side: a program answers questions by name, and ends with the process that started it. */
export function answer(answers: Record<string, (argument: never) => unknown>, ready: unknown): void {
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.on('message', ({ number, name, argument }: Question) => {
    void reply(number, () => answers[name]!(argument as never));
  });
  process.send!({ number: READY, value: ready } satisfies Answer);
}

async function reply(number: number, work: () => unknown): Promise<void> {
  try {
    process.send!({ number, value: await work() } satisfies Answer);
  } catch (error) {
    process.send!({ number, error: error instanceof Error ? error.message : String(error) } satisfies Answer);
  }
}

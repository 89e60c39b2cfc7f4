import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Service } from './service.js';
import { Supervisor } from './supervisor.js';

/** What happened, in order; tests wait for a line of it. */
class Story extends EventEmitter {
  readonly lines: string[] = [];

  tell(line: string): void {
    this.lines.push(line);
    this.emit(line);
  }

  async until(line: string): Promise<void> {
    if (!this.lines.includes(line)) await once(this, line);
  }
}

/** A service in memory, which says what is done to it. */
class FakeService implements Service {
  readonly stopWithinMs = 1_000;
  private end = Promise.withResolvers<string>();

  constructor(
    readonly name: string,
    private readonly story: Story,
    readonly followsBuild = false,
    private readonly failures: number[] = [],
  ) {}

  starts = 0;

  async start(signal: AbortSignal) {
    signal.throwIfAborted();
    this.starts += 1;
    if (this.failures.includes(this.starts)) throw new Error(`${this.name} does not start`);
    this.story.tell(`start ${this.name}`);
    this.end = Promise.withResolvers<string>();
    const { promise: exited } = this.end;
    return {
      exited,
      stop: async () => {
        this.story.tell(`stop ${this.name}`);
        this.end.resolve('asked to');
        await exited;
      },
    };
  }

  die(): void {
    this.end.resolve(`${this.name} died`);
  }
}

function supervise(services: (story: Story) => Service[]) {
  const story = new Story();
  const supervisor = new Supervisor(services(story), {
    ready: () => undefined,
    died: (_name, how) => story.tell(how),
    recovered: (name) => story.tell(`${name} is back`),
    gaveUp: (failure) => story.tell(failure.message),
  });
  return { supervisor, story };
}

describe('supervisor', () => {
  it('starts in order and stops in the opposite order', async () => {
    const { supervisor, story } = supervise((log) => [new FakeService('a', log), new FakeService('b', log)]);
    await supervisor.start();
    await Promise.all([supervisor.stop(), supervisor.stop()]);
    expect(story.lines).toEqual(['start a', 'start b', 'stop b', 'stop a']);
  });

  it('does not start what comes after a service that fails, and stops what came before', async () => {
    const { supervisor, story } = supervise((log) => [
      new FakeService('a', log),
      new FakeService('b', log, false, [1]),
      new FakeService('c', log),
    ]);
    await expect(supervisor.start()).rejects.toThrow('b does not start');
    await supervisor.stop();
    expect(story.lines).toEqual(['start a', 'stop a']);
  });

  it('brings back a service that died, and leaves the others alone', async () => {
    let a!: FakeService;
    const { supervisor, story } = supervise((log) => [
      (a = new FakeService('a', log)),
      new FakeService('b', log),
    ]);
    await supervisor.start();
    a.die();
    await story.until('a is back');
    await supervisor.stop();
    expect(story.lines).toEqual(['start a', 'start b', 'a died', 'start a', 'a is back', 'stop b', 'stop a']);
  });

  it('tries again when the new start fails', async () => {
    let a!: FakeService;
    const { supervisor, story } = supervise((log) => [(a = new FakeService('a', log, false, [2]))]);
    await supervisor.start();
    a.die();
    await story.until('a is back');
    await supervisor.stop();
    expect(story.lines).toEqual(['start a', 'a died', 'a does not start', 'start a', 'a is back', 'stop a']);
  });

  it('starts those anew that were built anew, which is no death', async () => {
    const { supervisor, story } = supervise((log) => [
      new FakeService('a', log),
      new FakeService('b', log, true),
    ]);
    await supervisor.start();
    await supervisor.restartBuilt();
    await story.until('b is back');
    await supervisor.stop();
    expect(story.lines).toEqual(['start a', 'start b', 'stop b', 'start b', 'b is back', 'stop b', 'stop a']);
  });

  it('gives up a start under way when asked to stop', async () => {
    const hanging = (story: Story): Service => ({
      name: 'hanging',
      stopWithinMs: 1_000,
      start: async (signal) => {
        story.tell('hanging');
        await once(signal, 'abort');
        throw new Error('given up');
      },
    });
    const { supervisor, story } = supervise((log) => [new FakeService('a', log), hanging(log)]);
    // oxlint-disable-next-line jest/valid-expect -- awaited below, when it has been given up
    const started = expect(supervisor.start()).rejects.toThrow('given up');
    await story.until('hanging');
    await supervisor.stop();
    await started;
    expect(story.lines).toEqual(['start a', 'hanging', 'stop a']);
  });

  it('hurries what does not end when it is asked again', async () => {
    const slow = (story: Story): Service => ({
      name: 'slow',
      stopWithinMs: 60_000,
      start: async () => ({
        exited: story.until('forced').then(() => 'forced'),
        stop: async (_graceMs, hurry) => {
          story.tell('asked');
          await once(hurry, 'abort');
          story.tell('forced');
        },
      }),
    });
    const { supervisor, story } = supervise((log) => [slow(log)]);
    await supervisor.start();
    const stopped = supervisor.stop();
    await story.until('asked');
    supervisor.hurry();
    await stopped;
    expect(story.lines).toEqual(['asked', 'forced']);
  });
});

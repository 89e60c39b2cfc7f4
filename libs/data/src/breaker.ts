/**
 * Spares a database that is away from every request's attempt, and the requests from waiting for it. A lost
 * connection raises a suspicion, a probe confirms it, and further probes find the database when it is back:
 * no request has to be sacrificed to find out.
 */
export class Breaker {
  private openedAt: number | undefined;
  private asking: Promise<boolean> | undefined;
  private closed = false;

  constructor(
    private readonly probe: () => Promise<void>,
    private readonly onChange: (state: 'open' | 'closed', openForMs: number) => void = () => {},
    private readonly probeEveryMs = 200,
  ) {}

  get isOpen(): boolean {
    return this.openedAt !== undefined;
  }

  /** A statement failed in a way that says more about the database than about the statement. */
  suspect(): void {
    void this.answers();
  }

  /** Whether the database answers now; all who ask at the same time share one probe. */
  answers(): Promise<boolean> {
    if (this.closed || this.isOpen) return Promise.resolve(false);
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  /** Stops probing, for good. */
  close(): void {
    this.closed = true;
  }

  private async ask(): Promise<boolean> {
    try {
      await this.probe();
      return true;
    } catch {
      if (!this.closed) void this.openUntilAnswered();
      return false;
    }
  }

  private async openUntilAnswered(): Promise<void> {
    this.openedAt = performance.now();
    this.onChange('open', 0);
    do {
      await new Promise((resolve) => setTimeout(resolve, this.probeEveryMs).unref());
    } while (!this.closed && !(await this.isBack()));
    if (this.closed) return;
    const openForMs = performance.now() - this.openedAt;
    this.openedAt = undefined;
    this.onChange('closed', openForMs);
  }

  private isBack(): Promise<boolean> {
    return this.probe().then(
      () => true,
      () => false,
    );
  }
}

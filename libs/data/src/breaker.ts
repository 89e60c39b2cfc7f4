/**
 * Spares a database that is away from every request's attempt, and the requests from waiting for it. A lost
 * connection raises a suspicion, a probe confirms it, and further probes find the database when it is back:
 * no request has to be sacrificed to find out.
 */
export class Breaker {
  private openedAt: number | undefined;
  private probing = false;
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
    if (this.probing || this.closed) return;
    this.probing = true;
    void this.probeUntilAnswered();
  }

  /** Stops probing, for good. */
  close(): void {
    this.closed = true;
  }

  private async probeUntilAnswered(): Promise<void> {
    while (!this.closed) {
      try {
        await this.probe();
        break;
      } catch {
        if (this.openedAt === undefined) {
          this.openedAt = performance.now();
          this.onChange('open', 0);
        }
        await new Promise((resolve) => setTimeout(resolve, this.probeEveryMs).unref());
      }
    }
    this.probing = false;
    if (this.openedAt === undefined || this.closed) return;
    const openForMs = performance.now() - this.openedAt;
    this.openedAt = undefined;
    this.onChange('closed', openForMs);
  }
}

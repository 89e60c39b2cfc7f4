/**
 * How much one socket may send. Far above what an honest client does, a busy worker included; it keeps one
 * that runs wild from taking the whole process for itself.
 */
const PER_SECOND = 20_000;
const AT_ONCE = 40_000;
/** Events whose acknowledgement is outstanding. */
const UNDER_WAY = 5_000;

export class EventBudget {
  private left = AT_ONCE;
  private countedAt: number;
  private underWay = 0;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.countedAt = now();
  }

  /** Takes on one more event, unless that were too many. */
  begin(): boolean {
    this.refill();
    if (this.left < 1 || this.underWay >= UNDER_WAY) return false;
    this.left--;
    this.underWay++;
    return true;
  }

  end(): void {
    this.underWay--;
  }

  private refill(): void {
    const now = this.now();
    this.left = Math.min(AT_ONCE, this.left + ((now - this.countedAt) * PER_SECOND) / 1_000);
    this.countedAt = now;
  }
}

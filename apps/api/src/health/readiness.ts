/** For /readyz: what keeps this process from serving, in words. */
export class NotReady extends Error {}

/** Whether this process should be sent requests: it has migrated, it is not leaving, and the database answers. */
export class Readiness {
  private stage: 'starting' | 'serving' | 'leaving' = 'starting';
  private hasServed = false;

  constructor(private readonly databaseIsAway: () => boolean) {}

  get isServing(): boolean {
    return this.stage === 'serving';
  }

  /** What still comes while we leave is answered as well; what comes before we can serve is not. */
  get answersRequests(): boolean {
    return this.hasServed;
  }

  get isReady(): boolean {
    return this.isServing && !this.databaseIsAway();
  }

  get state(): 'starting' | 'serving' | 'leaving' {
    return this.stage;
  }

  serve(): void {
    if (this.stage !== 'starting') return;
    this.stage = 'serving';
    this.hasServed = true;
  }

  leave(): void {
    this.stage = 'leaving';
  }
}

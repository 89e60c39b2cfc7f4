/** For /readyz: what keeps this process from serving, in words. */
export class NotReady extends Error {}

/** Whether this process should be sent requests: it has migrated, it is not leaving, and the database answers. */
export class Readiness {
  private stage: 'starting' | 'serving' | 'leaving' = 'starting';

  constructor(private readonly databaseIsAway: () => boolean) {}

  get isServing(): boolean {
    return this.stage === 'serving';
  }

  get isReady(): boolean {
    return this.isServing && !this.databaseIsAway();
  }

  /** In words. */
  get state(): string {
    return this.isServing && this.databaseIsAway() ? 'the database is away' : this.stage;
  }

  serve(): void {
    this.stage = 'serving';
  }

  leave(): void {
    this.stage = 'leaving';
  }
}

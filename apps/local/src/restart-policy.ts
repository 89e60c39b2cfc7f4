/** What to do about a service that ended without being asked to. */
export type RestartDecision =
  { readonly action: 'restart'; readonly delayMs: number } | { readonly action: 'give up' };

const delaysMs = [0, 500, 1_000, 2_000, 4_000];

/** A service that ran for this long was healthy: what happens to it then is a new story. */
const healthyAfterMs = 60_000;

export class RestartPolicy {
  private deathsInARow = 0;

  /** The first death is answered at once, further quick ones ever more slowly, until it is hopeless. */
  afterDeath(livedMs: number): RestartDecision {
    if (livedMs >= healthyAfterMs) this.deathsInARow = 0;
    const delayMs = delaysMs[this.deathsInARow++];
    return delayMs === undefined ? { action: 'give up' } : { action: 'restart', delayMs };
  }
}

import { describe, expect, it } from '@jest/globals';
import { RestartPolicy } from './restart-policy.js';

const restart = (delayMs: number) => ({ action: 'restart', delayMs });

describe('restart policy', () => {
  it('answers the first death at once, further ones ever more slowly, and gives up', () => {
    const policy = new RestartPolicy();
    const decisions = Array.from({ length: 6 }, () => policy.afterDeath(100));
    expect(decisions).toEqual([...[0, 500, 1_000, 2_000, 4_000].map(restart), { action: 'give up' }]);
  });

  it('forgets earlier deaths of a service that then ran for long', () => {
    const policy = new RestartPolicy();
    for (let death = 0; death < 5; death += 1) policy.afterDeath(100);
    expect(policy.afterDeath(60_000)).toEqual(restart(0));
    expect(policy.afterDeath(100)).toEqual(restart(500));
  });
});

import { expect, it } from '@jest/globals';
import { EventBudget } from './event-budget.js';

/** Sends until it is refused; each event is answered at once. */
function sendUntilRefused(budget: EventBudget): number {
  for (let sent = 0; ; sent++) {
    if (!budget.begin()) return sent;
    budget.end();
  }
}

it('takes a burst, and then as much as time allows', () => {
  let now = 0;
  const budget = new EventBudget(() => now);
  expect(sendUntilRefused(budget)).toBe(40_000);
  expect(sendUntilRefused(budget)).toBe(0);
  now += 100;
  expect(sendUntilRefused(budget)).toBe(2_000);
  now += 3_600_000;
  expect(sendUntilRefused(budget)).toBe(40_000);
});

it('has a limit on what is under way at once', () => {
  const budget = new EventBudget(() => 0);
  for (let sent = 0; sent < 5_000; sent++) expect(budget.begin()).toBe(true);
  expect(budget.begin()).toBe(false);
  budget.end();
  expect(budget.begin()).toBe(true);
});

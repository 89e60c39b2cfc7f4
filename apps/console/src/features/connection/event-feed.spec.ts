import { beforeEach, describe, expect, it } from '@jest/globals';
import { EventFeed } from './event-feed';

describe('EventFeed', () => {
  let table: number[];
  let isAway: boolean;
  let reads: number[];
  let delivered: number[];
  let feed: EventFeed<{ seq: number }>;

  beforeEach(() => {
    table = [];
    isAway = false;
    reads = [];
    delivered = [];
    feed = new EventFeed(readAfter, (event) => delivered.push(event.seq));
  });

  async function readAfter(after: number, limit: number): Promise<{ seq: number }[]> {
    if (isAway) throw new Error('away');
    reads.push(after);
    const missed = table.filter((seq) => seq > after).slice(0, limit);
    return missed.map((seq) => ({ seq }));
  }

  it('begins where the server says, and does not replay the past', async () => {
    table.push(1, 2, 3);
    await feed.resume(3);
    expect(delivered).toEqual([]);
    expect(reads).toEqual([]);
  });

  it('takes the very next event without asking', async () => {
    await feed.resume(1);
    await feed.take({ seq: 2 });
    expect(delivered).toEqual([2]);
    expect(reads).toEqual([]);
  });

  it('reads what a gap has left out', async () => {
    await feed.resume(1);
    table.push(2, 3, 4);
    await feed.take({ seq: 4 });
    expect(delivered).toEqual([2, 3, 4]);
  });

  it('reads what came while it was cut off', async () => {
    await feed.resume(1);
    table.push(2, 3);
    await feed.resume(3);
    expect(delivered).toEqual([2, 3]);
  });

  it('delivers each event once, however often and in whatever order it is pushed', async () => {
    await feed.resume(1);
    table.push(2, 3, 5);
    await Promise.all([5, 3, 2, 3, 5].map((seq) => feed.take({ seq })));
    expect(delivered).toEqual([2, 3, 5]);
  });

  it('reads page by page until it has all', async () => {
    await feed.resume(0);
    table.push(...Array.from({ length: 1_200 }, (_, i) => i + 1));
    await feed.resume(1_200);
    expect(delivered).toEqual(table);
    expect(reads).toEqual([0, 500, 1_000]);
  });

  it('goes on where it was after a read that failed', async () => {
    await feed.resume(1);
    table.push(2);
    isAway = true;
    await expect(feed.resume(2)).rejects.toThrow('away');
    isAway = false;
    await feed.resume(2);
    expect(delivered).toEqual([2]);
  });
});

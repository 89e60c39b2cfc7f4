import { beforeEach, describe, expect, it } from '@jest/globals';
import { EventFeed } from './event-feed';

describe('EventFeed', () => {
  let table: { seq: number }[];
  let reads: number[];
  let delivered: number[];
  let feed: EventFeed<{ seq: number }>;

  beforeEach(() => {
    table = [];
    reads = [];
    delivered = [];
    feed = new EventFeed(
      {
        newestSeq: async () => table.at(-1)?.seq ?? 0,
        readAfter: async (seq, limit) => {
          reads.push(seq);
          return table.filter((event) => event.seq > seq).slice(0, limit);
        },
      },
      (event) => delivered.push(event.seq),
    );
  });

  function write(...seqs: number[]): void {
    table.push(...seqs.map((seq) => ({ seq })));
  }

  it('begins at the newest event and does not replay the past', async () => {
    write(1, 2, 3);
    await feed.catchUp();
    expect(delivered).toEqual([]);
  });

  it('takes the very next event without asking', async () => {
    write(1);
    await feed.catchUp();
    reads.length = 0;
    write(2);
    await feed.take({ seq: 2 });
    expect(delivered).toEqual([2]);
    expect(reads).toEqual([]);
  });

  it('reads what a gap has left out', async () => {
    write(1);
    await feed.catchUp();
    write(2, 3, 4);
    await feed.take({ seq: 4 });
    expect(delivered).toEqual([2, 3, 4]);
  });

  it('delivers each event once, however often and in whatever order it is pushed', async () => {
    write(1);
    await feed.catchUp();
    write(2, 3, 5);
    await Promise.all([5, 3, 2, 3, 5].map((seq) => feed.take({ seq })));
    expect(delivered).toEqual([2, 3, 5]);
  });

  it('reads page by page until it has all', async () => {
    await feed.catchUp();
    write(...Array.from({ length: 1_200 }, (_, i) => i + 1));
    await feed.catchUp();
    expect(delivered).toHaveLength(1_200);
    expect(delivered.at(-1)).toBe(1_200);
  });

  it('goes on where it was after a read that failed', async () => {
    write(1);
    await feed.catchUp();
    write(2);
    const broken = new Error('away');
    const readAfter = Array.prototype.filter;
    table.filter = () => {
      throw broken;
    };
    await expect(feed.catchUp()).rejects.toBe(broken);
    table.filter = readAfter;
    await feed.catchUp();
    expect(delivered).toEqual([2]);
  });
});

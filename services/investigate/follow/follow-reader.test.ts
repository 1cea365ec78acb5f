import { describe, expect, test, vi } from 'vitest';
import {
  countQuestions,
  followAndTell as follow,
  followWith,
  path,
  readStory,
  type ToldTrail,
  toFollowRequest,
} from '../../testing/ask-follow.ts';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { pagesOf, withDepartures } from '../../testing/flow-pages.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { ReadFailedError, type TransferReader } from '../model/transfer-reader.ts';
import { TIME_BUDGET_MS } from './rules.ts';
import type { Trail } from './trail.ts';

describe('the time budget', () => {
  const steps = Array.from({ length: 12 }, (_, at) => ({
    time: 10 + at,
    moves: [move(at === 0 ? 'alice' : `wallet ${at}`, `wallet ${at + 1}`, 100n)],
  }));
  const reader = readStory(steps);
  const departures = pagesOf(reader);
  const slow =
    <Asked extends unknown[], Out>(seconds: number, read: (...asked: Asked) => Promise<Out>) =>
    async (...asked: Asked): Promise<Out> => {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      return read(...asked);
    };
  /** On a clock that stands still but for the timers that are waited for; gives how long it took by that clock. */
  const time = async (slowReader: Partial<TransferReader>) => {
    vi.useFakeTimers({ now: 0 });
    try {
      const dependencies = { ...followWith({ ...reader, ...slowReader }), clock: virtual };
      const asking = follow(toFollowRequest({}), dependencies).catch((error: unknown) => error);
      let answered = false;
      void asking.then(() => {
        answered = true;
      });
      while (!answered) await vi.advanceTimersByTimeAsync(100);
      return { answer: await asking, tookMs: Date.now() };
    } finally {
      vi.useRealTimers();
    }
  };
  const virtual = { nowUnixMs: () => Date.now() };

  test('cuts a trail with max_hops that says so, in time to name what was found', async () => {
    const { answer, tookMs } = await time(withDepartures(reader, slow(19, departures)));
    expect(answer).toMatchObject({ end: { reason: 'max_hops', detail: expect.stringContaining('time') } });
    // Of four reads, which are one of the first wallet and two of wallets each after it.
    expect((answer as Trail).hops).toHaveLength(7);
    expect(tookMs).toBeLessThanOrEqual(TIME_BUDGET_MS);
  });

  test('holds where a reader does not keep to the time it was given', async () => {
    const deaf = await time({ wholeTransactions: slow(10_000, reader.wholeTransactions) });
    expect(deaf.answer).toMatchObject({ code: 'timeout' });
    expect(deaf.tookMs).toBeLessThanOrEqual(TIME_BUDGET_MS);
    const stuck = await time(
      withDepartures(reader, (request) =>
        request.wallet === 'wallet 3' ? slow(10_000, departures)(request) : departures(request),
      ),
    );
    expect(stuck.answer).toMatchObject({ end: { reason: 'no_data', address: 'wallet 3' } });
    expect(stuck.tookMs).toBeLessThanOrEqual(TIME_BUDGET_MS);
  });

  test('leaves a trail that was found, though there is too little of it for the last look for swaps', async () => {
    const { answer, tookMs } = await time({
      ...withDepartures(
        reader,
        slow(7, async (request) => {
          const { rows, next } = await departures(request);
          return { rows, next };
        }),
      ),
      swappers: slow(6, reader.swappers),
    });
    expect(answer).toMatchObject({ end: { reason: 'max_hops' }, isComplete: false });
    expect(path(answer as Trail)).toHaveLength(12);
    expect((answer as ToldTrail).end.detail).toContain('may have');
    expect(tookMs).toBeLessThanOrEqual(TIME_BUDGET_MS);
  });

  test('is not spent on labels: the next wallet is read while they are looked up', async () => {
    const both = { ...withDepartures(reader, slow(1, departures)), labels: slow(1, reader.labels) };
    const { answer, tookMs } = await time(both);
    expect((answer as Trail).hops).toHaveLength(12);
    expect(tookMs).toBeLessThan(15_000);
  });
});

describe('a time budget that is spent', () => {
  /** The trail of a story on a clock that stands still until one method has answered about a wallet. */
  const askUntil = (
    story: readonly StoryStep[],
    spending: (memory: TransferReader, spend: () => void) => Partial<TransferReader>,
  ) => {
    let now = 0;
    const memory = readStory(story);
    const spend = () => {
      now = 85_001;
    };
    const reader = { ...memory, ...spending(memory, spend) };
    return follow(toFollowRequest({}), { ...followWith(reader), clock: { nowUnixMs: () => now } });
  };
  const onward = { time: 90, moves: [move('alice', 'cash', 100n)] };
  const round = { time: 20, moves: [move('alice', 'hub', 500n), move('hub', 'alice', 500n)] };

  test('when the start wallet has to be read again ends the trail there', async () => {
    const trail = await askUntil([round, onward], ({ wholeTransactions }, spend) => ({
      wholeTransactions: async (...request) => {
        spend();
        return wholeTransactions(...request);
      },
    }));
    expect(trail.hops).toEqual([]);
    expect(trail.end).toMatchObject({ reason: 'max_hops', address: 'alice' });
    expect(trail.isComplete).toBe(false);
  });

  test('at a label leaves a trail that is told in part, as at a wallet', async () => {
    const story = [onward, { time: 95, moves: [move('cash', 'bob', 100n)] }];
    const trail = await askUntil(story, (memory, spend) =>
      withDepartures(memory, async (request) => {
        const { rows, next } = await pagesOf(memory)(request);
        if (request.wallet === 'cash') spend();
        return { rows, next };
      }),
    );
    expect(path(trail)).toEqual(['alice>cash']);
    expect(trail.end).toMatchObject({ reason: 'max_hops', address: 'cash' });
    expect(trail.isComplete).toBe(false);
  });
});

describe('limits and failures', () => {
  const story = [
    { time: 10, moves: [move('alice', 'bob', 100n)] },
    { time: 20, moves: [move('bob', 'carol', 100n)] },
    { time: 30, moves: [move('carol', 'dave', 100n)] },
  ];
  const reader = readStory(story);
  const failing = (wallet: string, error: Error): TransferReader =>
    withDepartures(reader, (request) =>
      request.wallet === wallet ? Promise.reject(error) : pagesOf(reader)(request),
    );
  const unavailable = new ReadFailedError('unavailable');

  test('a later wallet that cannot be read ends the trail with no_data, and the hops so far stand', async () => {
    const trail = await follow(toFollowRequest({}), followWith(failing('bob', unavailable)));
    expect(path(trail)).toEqual(['alice>bob']);
    expect(trail.end).toMatchObject({ reason: 'no_data', address: 'bob' });
  });

  test('a first wallet that cannot be read is an error, not an answer', async () => {
    const asking = follow(toFollowRequest({}), followWith(failing('alice', unavailable)));
    await expect(asking).rejects.toBe(unavailable);
  });

  test('a mistake in the code is never dressed up as missing data', async () => {
    const asking = follow(toFollowRequest({}), followWith(failing('bob', new TypeError('bug'))));
    await expect(asking).rejects.toThrow(TypeError);
  });

  test('a budget spent on the first wallet is a timeout', async () => {
    let nowMs = 0;
    const stuck = withDepartures(reader, async () => {
      nowMs = TIME_BUDGET_MS;
      return { rows: [], next: { blockTime: 0, blockNumber: 0, txIndex: 0, step: 0 } };
    });
    const asking = follow(toFollowRequest({}), {
      ...followWith(stuck),
      clock: { nowUnixMs: () => nowMs },
    });
    await expect(asking).rejects.toMatchObject({ code: 'timeout' });
  });

  test('an aborted request stops reading', async () => {
    const controller = new AbortController();
    let reads = 0;
    const counted = withDepartures(reader, (request) => {
      reads += 1;
      controller.abort();
      return pagesOf(reader)(request);
    });
    const asking = follow(toFollowRequest({}), { ...followWith(counted), signal: controller.signal });
    await expect(asking).rejects.toMatchObject({ code: 'aborted' });
    expect(reads).toBe(1);
  });

  describe.each([
    ['pool in which the money was sold', 'dex_swap', true, null],
    ['exchange at which the trail ends', 'exchange', false, { name: 'Exchange', kind: 'exchange' } as const],
  ] as const)('of a busy %s', (_, reason, isSold, label) => {
    test('one page is read at most', async () => {
      const sale = { gaveAsset: 'native', gaveRaw: 100n, gotAsset: 'mint', gotRaw: 5n, through: 'busy' };
      const customers = Array.from({ length: 50 }, (__, at) => ({
        time: 30 + at,
        moves: [move('busy', `customer ${at}`, 40n), move(`seller ${at}`, 'busy', 40n)],
      }));
      const blocks = tellStory('solana', [
        { time: 10, moves: [move('alice', 'bob', 100n)] },
        { time: 15, moves: [move('bob', 'carol', 100n)] },
        {
          time: 20,
          moves: [move('carol', 'busy', 100n)],
          swaps: isSold ? [{ owner: 'carol', ...sale }] : [],
        },
        ...customers,
      ]);
      const labels = new Map(label ? [['busy', label]] : []);
      const { asked, counting } = countQuestions(createMemoryReader(blocks, { labels }));
      const trail = await follow(toFollowRequest({}), followWith(counting));
      expect(trail.end.reason).toBe(reason);
      const ofBusy = asked.filter(({ wallet }) => wallet === 'busy').map(({ name }) => name);
      expect(ofBusy).toEqual(['departures without swaps']);
    });
  });

  test("a trail of 25 hops takes one question for two of them, and the first wallet's swaps besides those of all", async () => {
    const hops = Array.from({ length: 25 }, (_, at) => ({
      time: 10 + at,
      moves: [move(at === 0 ? 'alice' : `wallet ${at}`, `wallet ${at + 1}`, 100n)],
    }));
    const { asked, counting } = countQuestions(readStory(hops));
    const trail = await follow(toFollowRequest({}), followWith(counting));
    expect(trail.hops).toHaveLength(25);
    const times = (question: string) => asked.filter(({ name }) => name === question).length;
    expect(Object.fromEntries(asked.map(({ name }) => [name, times(name)]))).toEqual({
      ...{ 'departures without swaps': 13, departures: 1, swappers: 1, balance: 1, lost: 1 },
      ...{ wholeTransactions: 1, contiguousRange: 1 },
      // Mostly no question to the tables: the process holds them.
      // One is of the start, the others of the hops.
      labels: 26,
    });
  });

  test('a wallet too busy to read whole is read in part, and the detail says so', async () => {
    const busy = Array.from({ length: 40 }, (_, index) => ({
      time: 10 + index,
      moves: [move('alice', `payee ${index % 7}`, 10n)],
    }));
    const pages = { firstRows: 5, nextRows: 5, maxRows: 20 };
    const trail = await follow(toFollowRequest({}), followWith(readStory(busy)), {
      budgetMs: TIME_BUDGET_MS,
      pages,
    });
    expect(trail.end.reason).toBe('split');
    expect(trail.end.detail).toContain('only the first 20');
  });
});

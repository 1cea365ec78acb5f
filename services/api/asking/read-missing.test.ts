import { expect, test } from 'vitest';
import type { Backfill } from '../../investigate/model/backfills.ts';
import type { ListedWindow } from '../../investigate/model/history.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { ApiError } from '../errors.ts';
import { type Wanted, wholeHistory } from './ask-in-time.ts';
import { readMissing as readAll, type Waiting } from './read-missing.ts';

const WINDOW: ListedWindow = {
  ...{
    chain: 'solana',
    address: 'a',
    kinds: ['sent'],
    asset: null,
    first: 1,
    last: 2,
    lastUnixSeconds: null,
  },
  ...{ source: 'solana-node', proof: 'listed', reason: null, transactions: 0, readAtUnixSeconds: 1 },
};
const PROMISE = { withinSeconds: 1 };

/** Of whole histories. */
const readMissing = async <T>(
  request: Omit<Waiting<T>, 'missing' | 'ask'> & {
    missing: (...asked: Parameters<Waiting<T>['missing']>) => readonly string[];
    ask: (wallet: string) => Promise<boolean>;
  },
) => {
  const { answer, beingRead } = await readAll({
    ...request,
    missing: (...asked) => request.missing(...asked).map(wholeHistory),
    ask: async ({ address }: Wanted) => ((await request.ask(address)) ? PROMISE : null),
  });
  return { answer, beingRead: beingRead.map(({ address }) => address) };
};

const NEVER = new AbortController().signal;
/** More than what is kept for the last answer, by so little. */
const SHORT_MS = 15_200;

/** A trail through these wallets, of which none is known until it was asked for and read. */
const trailThrough = (wallets: readonly string[], { unreadable = '' } = {}) => {
  const known = new Map<string, Backfill>();
  const asked: string[] = [];
  let answers = 0;
  const reading = (budgetMs: number, signal = NEVER) =>
    readMissing({
      ...{ chain: 'solana', budgetMs, signal },
      backfills: () => {
        const now = new Map(known);
        return { canBackfill: () => true, lastBackfill: (_chain, wallet) => now.get(wallet) ?? null };
      },
      answer: async () => {
        answers += 1;
        const end = wallets.findIndex((wallet) => !known.has(wallet));
        return wallets.slice(0, end === -1 ? wallets.length : end);
      },
      missing: (hops) => wallets.slice(hops.length, hops.length + 1),
      ask: async (wallet) => {
        asked.push(wallet);
        if (wallet !== unreadable)
          setTimeout(() => known.set(wallet, { readAtUnixSeconds: 1, missing: 'nothing' }), 5);
        return true;
      },
    });
  return { reading, asked, answers: () => answers };
};

test('wallets are read one after the other, and one call answers to the end', async () => {
  const { reading, asked, answers } = trailThrough(['a', 'b', 'c']);
  expect(await reading(60_000)).toEqual({ answer: ['a', 'b', 'c'], beingRead: [] });
  expect(asked).toEqual(['a', 'b', 'c']);
  expect(answers()).toBe(4);
});

test('where time ends the answer names what is still being read, and the same question goes on from there', async () => {
  const { reading } = trailThrough(['a', 'b'], { unreadable: 'b' });
  expect(await reading(SHORT_MS)).toEqual({ answer: ['a'], beingRead: ['b'] });
});

test('without time nobody waits', async () => {
  const { reading, answers } = trailThrough(['a']);
  expect(await reading(0)).toEqual({ answer: [], beingRead: ['a'] });
  expect(answers()).toBe(1);
});

test('all wallets that an answer lacks are asked for at once, in their order', async () => {
  const wanted = ['a', 'b', 'c'];
  const asked: string[] = [];
  const all = Promise.withResolvers<boolean>();
  const { beingRead } = await readMissing({
    ...{ chain: 'solana', budgetMs: 0, signal: NEVER },
    backfills: () => ({ canBackfill: () => true, lastBackfill: () => null }),
    answer: async () => null,
    missing: () => wanted,
    ask: (wallet) => {
      asked.push(wallet);
      if (asked.length === wanted.length) all.resolve(true);
      return all.promise;
    },
  });
  expect([asked, beingRead]).toEqual([wanted, wanted]);
});

test('a wallet that stays unknown after it was read is not read without end', async () => {
  let asked = 0;
  const { beingRead } = await readMissing({
    ...{ chain: 'solana', budgetMs: 60_000, signal: NEVER },
    backfills: () => {
      const last = { readAtUnixSeconds: asked, missing: 'more' as const };
      return { canBackfill: () => true, lastBackfill: () => last };
    },
    answer: async () => null,
    missing: () => ['a'],
    ask: async () => {
      setTimeout(() => {
        asked += 1;
      }, 5);
      return true;
    },
  });
  expect([asked, beingRead]).toEqual([1, []]);
});

test('a caller that leaves ends the waiting', async () => {
  const leaving = new AbortController();
  const { reading } = trailThrough(['a'], { unreadable: 'a' });
  setTimeout(() => leaving.abort(), 20);
  expect(await reading(60_000, leaving.signal)).toEqual({ answer: [], beingRead: ['a'] });
});

test.each([
  ['takes too long', new ReadFailedError('timeout')],
  ['finds the line full', new ApiError('too_many_calls')],
])('a last answer that %s leaves the one before', async (_, failure) => {
  let answers = 0;
  let isRead = false;
  const kept = await readMissing({
    ...{ chain: 'solana', budgetMs: 60_000, signal: NEVER },
    backfills: () => {
      const last = isRead ? { readAtUnixSeconds: 1, missing: 'nothing' as const } : null;
      return { canBackfill: () => true, lastBackfill: () => last };
    },
    answer: async () => {
      answers += 1;
      if (answers > 1) throw failure;
      return 'first';
    },
    missing: () => ['a'],
    ask: async () => {
      isRead = true;
      return true;
    },
  });
  expect(kept.answer).toBe('first');
});

test('a wallet whose history came during the answer is answered from, and not asked for again', async () => {
  let last: Backfill | null = null;
  const told = await readMissing({
    ...{ chain: 'solana', budgetMs: SHORT_MS, signal: NEVER },
    backfills: () => {
      const now = last;
      return { canBackfill: () => true, lastBackfill: () => now };
    },
    answer: async () => {
      const known = last;
      last = { readAtUnixSeconds: 1, missing: 'nothing' };
      return known === null ? 'unread' : 'read';
    },
    missing: (answer, known) =>
      answer === 'unread' && known.lastBackfill('solana', 'a') === null ? ['a'] : [],
    ask: () => Promise.reject(new Error('it is asked for')),
  });
  expect(told).toEqual({ answer: 'read', beingRead: [] });
});

test('a history whose windows come one by one is waited for until its reading ends, even within one second', async () => {
  let windows = 0;
  let readings = 0;
  const seen: number[] = [];
  const { answer } = await readMissing({
    ...{ chain: 'solana', budgetMs: 60_000, signal: NEVER },
    backfills: () => {
      const last = readings === 0 ? null : { number: readings, coverage: 'complete', readAtUnixSeconds: 1 };
      const told = Array.from({ length: windows }, () => WINDOW);
      return {
        canBackfill: () => true,
        lastBackfill: () => null,
        windows: () => told,
        lastReading: () => last,
      };
    },
    answer: async () => {
      seen.push(windows);
      return windows;
    },
    missing: (found) => (found < 3 ? ['a'] : []),
    ask: async () => {
      for (const at of [1, 2, 3]) setTimeout(() => (windows = at), at * 60);
      setTimeout(() => (readings = 1), 240);
      return true;
    },
  });
  expect([answer, seen]).toEqual([3, [0, 3]]);
});

test('whoever answers is told whether there is an answer already', async () => {
  const told: boolean[] = [];
  let isKnown = false;
  await readMissing({
    ...{ chain: 'solana', budgetMs: 60_000, signal: NEVER },
    backfills: () => {
      const now = isKnown;
      const read = { readAtUnixSeconds: 1, missing: 'nothing' } as const;
      return { canBackfill: () => true, lastBackfill: () => (now ? read : null) };
    },
    answer: async (_leftMs, isAgain) => {
      told.push(isAgain);
      return isKnown;
    },
    missing: (answer) => (answer ? [] : ['a']),
    ask: async () => {
      isKnown = true;
      return true;
    },
  });
  expect(told).toEqual([false, true]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { move, tellStory } from '../../testing/chain-story.ts';
import { type AskPage, pagesOf, withDepartures } from '../../testing/flow-pages.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { NATIVE } from '../model/movement.ts';
import type { FlowPage, TransferReader } from '../model/transfer-reader.ts';
import { createReadSession } from './create-read-session.ts';
import { type FlowsAsked, keepAhead, keepPages, type ReadPage } from './flow-pages.ts';
import { transferKinds } from './kinds/transfer-kinds.ts';
import { BudgetSpentError } from './left-out.ts';
import { openReads } from './open-reads.ts';

const FIRST = { blockTime: 0, blockNumber: 0, txIndex: -1, step: 0 };
const LAST = { blockTime: 4_294_967_295, blockNumber: 4_294_967_295, txIndex: 0, step: 0 };
const { signal } = new AbortController();

const sessionOver = (reader: TransferReader, options: { rowsMax?: number } = {}) =>
  createReadSession(
    openReads((count) => transferKinds(count(reader)), options),
    { clock: { nowUnixMs: () => 0 }, signal, budget: { ms: 60_000, readMs: 20_000 } },
  );

const flowOver = (reader: TransferReader, options: { rowsMax?: number } = {}) => {
  const { reads, spent } = sessionOver(reader, options);
  return { ...keepPages(reads, { departures: FIRST, arrivals: LAST }), spent };
};

const of = (wallet: string): FlowsAsked => ({
  ...{ chain: 'solana', wallet, canonicalAsset: NATIVE, ownOnly: false, from: FIRST, limit: 10 },
});

test('a flow that has read its rows reads no more, and is given again what it has', async () => {
  const story = tellStory('solana', [
    { time: 1, moves: [move('ann', 'bea', 1n)] },
    { time: 2, moves: [move('ann', 'bea', 2n)] },
    { time: 3, moves: [move('bea', 'cyd', 3n)] },
  ]);
  const { readPage, spent, wallets } = flowOver(createMemoryReader(story), { rowsMax: 2 });
  const page = await readPage('departures', of('ann'));
  expect(page.rows).toHaveLength(2);
  await expect(readPage('departures', of('bea'))).rejects.toThrow(BudgetSpentError);
  expect(await readPage('departures', of('ann'))).toEqual(page);
  expect(spent()).toEqual({ queries: 1, rows: 2, bytes: 0 });
  expect([...wallets]).toEqual(['ann', 'bea']);
});

const timesOf = ({ rows }: FlowPage): number[] => rows.map(({ blockTime }) => blockTime);
const ROWS = 30;

type Asked = { readonly side: 'departures' | 'arrivals'; readonly time: number; readonly limit: number };

/** All that came or went from a time on, page by page. */
const readAll = async (readPage: ReadPage, { side, time, limit }: Asked): Promise<number[]> => {
  const times: number[] = [];
  let from: FlowPage['next'] = { ...FIRST, blockTime: time, blockNumber: time, txIndex: 0 };
  while (from !== null && times.length <= ROWS) {
    const page: FlowPage = await readPage(side, { ...of('ann'), limit, from });
    times.push(...timesOf(page));
    from = page.next;
  }
  return times;
};

test('whoever asks from whatever time on, alone or while others ask, is given every row once', async () => {
  const whole = createMemoryReader(
    tellStory(
      'solana',
      Array.from({ length: ROWS }, (_, at) => ({
        time: at,
        moves: [move('ann', 'bea', 1n), move('bea', 'ann', 1n)],
      })),
    ),
  );
  const unkept: ReadPage = (side, asked) => pagesOf(whole, side)({ ...asked, signal, timeoutMs: 1_000 });
  const asked = fc.record({
    side: fc.constantFrom('departures' as const, 'arrivals' as const),
    time: fc.integer({ min: 0, max: ROWS - 1 }),
    limit: fc.integer({ min: 2, max: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(asked, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
      async (groups) => {
        const { readPage } = flowOver(whole);
        for (const group of groups)
          expect(await Promise.all(group.map((one) => readAll(readPage, one)))).toEqual(
            await Promise.all(group.map((one) => readAll(unkept, one))),
          );
      },
    ),
  );
});

const trail = createMemoryReader(
  tellStory('solana', [
    { time: 10, moves: [move('alice', 'bob', 100n), move('alice', 'carol', 40n)] },
    { time: 20, moves: [move('bob', 'dave', 90n)] },
    { time: 30, moves: [move('bob', 'erin', 10n)] },
    { time: 40, moves: [move('carol', 'dave', 40n)] },
  ]),
);
const passage: FlowsAsked = {
  ...{ chain: 'solana', wallet: 'alice', canonicalAsset: 'native', ownOnly: false, transfersOnly: true },
  from: { blockTime: 10, blockNumber: 10, txIndex: 0, step: 0 },
  ...{ aheadRaw: 50n, limit: 10 },
};
const bob: FlowsAsked = { ...passage, wallet: 'bob' };

/** A trail's pages, and the wallets whose outflows were asked for. */
const trailOver = (departures: AskPage = pagesOf(trail)) => {
  const asked: string[] = [];
  const reader = withDepartures(trail, (request) => {
    asked.push(request.wallet);
    return departures(request);
  });
  const { reads } = createReadSession(
    openReads(() => transferKinds(reader)),
    { clock: { nowUnixMs: () => 0 }, signal, budget: { ms: 60_000, readMs: 20_000 } },
  );
  const readPage = keepAhead(reads);
  return { asked, departures: (of: FlowsAsked) => readPage('departures', of) };
};

const told = (request: FlowsAsked) => pagesOf(trail)({ ...request, signal, timeoutMs: 1_000 });

test('whoever got most of the money is not asked for again, and is answered as if', async () => {
  const { asked, departures } = trailOver();
  await departures(passage);
  const later = { ...bob, from: { blockTime: 25, blockNumber: 25, txIndex: 0, step: 0 } };
  for (const request of [bob, later]) {
    const { rows, next } = await told(request);
    expect(await departures(request)).toEqual({ rows, next });
  }
  expect(asked).toEqual(['alice']);
});

test.each<[string, Partial<FlowsAsked>]>([
  ['another wallet', { wallet: 'carol' }],
  ['another asset', { canonicalAsset: 'mint' }],
  ['another chain', { chain: 'base' }],
  ['swaps too', { transfersOnly: false }],
  ["the wallet's own transactions only", { ownOnly: true }],
  ['an earlier time', { from: { blockTime: 9, blockNumber: 9, txIndex: 0, step: 0 } }],
  ['fewer rows than came', { limit: 1 }],
])('%s is asked for', async (_, other) => {
  const { asked, departures } = trailOver();
  await departures(passage);
  const request = { ...bob, ...other };
  expect(await departures(request)).toEqual(await told(request));
  expect(asked).toEqual(['alice', request.wallet]);
});

test('what came ahead of a wallet that the trail did not go to is forgotten', async () => {
  const { asked, departures } = trailOver();
  for (const wallet of ['alice', 'carol', 'bob']) await departures({ ...passage, wallet });
  expect(asked).toEqual(['alice', 'carol', 'bob']);
});

test('a query that fails fails, and what had come ahead before it stands', async () => {
  const { departures } = trailOver((request) =>
    request.wallet === 'carol' ? Promise.reject(new Error('down')) : pagesOf(trail)(request),
  );
  await departures(passage);
  await expect(departures({ ...passage, wallet: 'carol' })).rejects.toThrow('down');
  expect((await departures(bob)).rows).toHaveLength(2);
});

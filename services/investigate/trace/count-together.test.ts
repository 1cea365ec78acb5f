import { expect, test } from 'vitest';
import { buildBlock } from '../../testing/build-block.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { NATIVE } from '../model/movement.ts';
import {
  bothSides,
  type CountedSide,
  NOBODY,
  type TraceReader,
  type WalletSide,
} from '../model/trace-reader.ts';
import { ReadFailedError } from '../model/transfer-reader.ts';
import { createReadSession } from '../session/create-read-session.ts';
import { openReads } from '../session/open-reads.ts';
import { traceKinds } from './query-context.ts';

const WALLETS = Array.from({ length: 40 }, (_, index) => `w${index}`);
const memory = createMemoryTraceReader([
  buildBlock({
    chain: 'solana',
    number: 1,
    timeUnixSeconds: 1_700_000_000,
    transactions: WALLETS.flatMap((from, index) =>
      [1, 2, 3].map((far) => {
        const to = WALLETS[(index + far) % WALLETS.length] ?? '';
        return { hash: `${from}-${to}`, sender: from, movements: [{ from, to, amountRaw: 7n }] };
      }),
    ),
  }),
]);

const common = { chain: 'solana', canonicalAssets: [NATIVE], leastRaw: [1n], othersMax: 3 };
const { signal } = new AbortController();

const counting = (counterpartyCounts: TraceReader['counterpartyCounts'] = memory.counterpartyCounts) => {
  const asked: (readonly CountedSide[])[] = [];
  const tables: TraceReader = {
    ...memory,
    counterpartyCounts: (of, sides, limits) => {
      asked.push(sides);
      return counterpartyCounts(of, sides, limits);
    },
  };
  const { reads } = createReadSession(
    openReads(() => traceKinds(tables, createMemoryPriceReader())),
    { clock: { nowUnixMs: () => 0 }, signal, budget: { ms: 1_000, readMs: 1_000 } },
  );
  return { asked, reads };
};

const lookingFor = (sides: readonly WalletSide[], among: readonly string[] = NOBODY) =>
  sides.map((side) => ({ ...side, among }));
const SIDES = [
  lookingFor(bothSides(WALLETS.slice(0, 10))),
  lookingFor(bothSides(WALLETS.slice(5, 12)), ['w6', 'w8']),
  lookingFor(bothSides(WALLETS.slice(8, 14))),
  [],
];

test('what is counted at once is one question, answered as if each had asked alone, and no side is asked about twice', async () => {
  const { asked, reads } = counting();
  const counts = await Promise.all(SIDES.map((sides) => reads.counterpartyCounts(common, sides)));
  const alone = SIDES.map((sides) => memory.counterpartyCounts(common, sides, { signal, timeoutMs: 1_000 }));
  expect(counts).toEqual(await Promise.all(alone));
  expect(counts.map((of) => of.flatMap((count) => count?.met ?? []).length)).toEqual([0, 10, 0, 0]);
  // Both sides of fourteen wallets, and of the seven among whose counterparties somebody is looked for.
  expect(asked.map((sides) => sides.length)).toEqual([28 + 14]);
});

test('what is asked later is asked alone', async () => {
  const { asked, reads } = counting();
  await reads.counterpartyCounts(common, lookingFor(bothSides(['w1'])));
  await reads.counterpartyCounts(common, lookingFor(bothSides(['w1']), ['w2']));
  expect(asked.map((sides) => sides.map(({ among }) => among))).toEqual([
    [[], []],
    [['w2'], ['w2']],
  ]);
});

test('where the question fails, all who asked are told', async () => {
  const { reads } = counting(() => Promise.reject(new ReadFailedError('unavailable')));
  const answers = await Promise.allSettled(
    SIDES.slice(0, 3).map((sides) => reads.counterpartyCounts(common, sides)),
  );
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});

import { expect, test } from 'vitest';
import { buildBlock } from '../../../testing/build-block.ts';
import { createMemoryPriceReader } from '../../../testing/memory/memory-price-reader.ts';
import { createMemoryTraceReader } from '../../../testing/memory/memory-trace-reader.ts';
import { NATIVE } from '../../model/movement.ts';
import { bothSides, type CounterpartyCountsRequest, type TraceReader } from '../../model/trace-reader.ts';
import { ReadFailedError } from '../../model/transfer-reader.ts';
import { createReadSession } from '../../session/create-read-session.ts';
import { openReads } from '../../session/open-reads.ts';
import { askByRequest, traceKinds } from './trace-kinds.ts';

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

const common = {
  chain: 'solana',
  canonicalAssets: [NATIVE],
  leastRaw: [1n],
  othersMax: 3,
  signal: new AbortController().signal,
  timeoutMs: 1_000,
};

const counting = (counterpartyCounts: TraceReader['counterpartyCounts'] = memory.counterpartyCounts) => {
  const asked: CounterpartyCountsRequest[] = [];
  const tables: TraceReader = {
    ...memory,
    counterpartyCounts: (request) => {
      asked.push(request);
      return counterpartyCounts(request);
    },
  };
  const { reads } = createReadSession(
    openReads(() => traceKinds(tables, createMemoryPriceReader())),
    { clock: { nowUnixMs: () => 0 }, signal: common.signal, budget: { ms: 1_000, readMs: 1_000 } },
  );
  const { reader } = askByRequest(reads);
  return { asked, reader };
};

const sidesOut = WALLETS.map((wallet) => ({ wallet, direction: 'out' as const }));
const REQUESTS = [
  { ...common, sides: bothSides(WALLETS.slice(0, 10)), among: [] },
  { ...common, sides: bothSides(WALLETS.slice(5, 12)), among: ['w6', 'w8'] },
  { ...common, sides: sidesOut, among: ['w3', 'w8'] },
  { ...common, sides: [], among: ['w1'] },
];

test('what is asked at once is answered as if each had asked alone', async () => {
  const { reader } = counting();
  const joined = await Promise.all(REQUESTS.map((request) => reader.counterpartyCounts(request)));
  expect(joined).toEqual(await Promise.all(REQUESTS.map((request) => memory.counterpartyCounts(request))));
  expect(joined.map((counts) => counts.flatMap(({ met }) => met).length)).toEqual([0, 10, 6, 0]);
});

test('a few sides take one question, many take two, and none is asked about twice', async () => {
  const few = counting();
  await Promise.all(REQUESTS.slice(0, 2).map((request) => few.reader.counterpartyCounts(request)));
  expect(few.asked.map(({ sides }) => sides.length)).toEqual([24]);
  const many = counting();
  const all = { ...common, sides: bothSides(WALLETS), among: [] };
  await Promise.all([...REQUESTS, all].map((request) => many.reader.counterpartyCounts(request)));
  expect(many.asked.map(({ sides }) => sides.length)).toEqual([40, 40]);
});

test('what is asked later is asked alone', async () => {
  const { asked, reader } = counting();
  const sides = bothSides(['w1']);
  await reader.counterpartyCounts({ ...common, sides, among: [] });
  await reader.counterpartyCounts({ ...common, sides, among: ['w2'] });
  expect(asked.map(({ among }) => among)).toEqual([[], ['w2']]);
});

test('where the question fails, all who asked are told', async () => {
  const { reader } = counting(() => Promise.reject(new ReadFailedError('timeout')));
  const answers = await Promise.allSettled(REQUESTS.map((request) => reader.counterpartyCounts(request)));
  expect(answers.map(({ status }) => status)).toEqual(REQUESTS.map(() => 'rejected'));
});

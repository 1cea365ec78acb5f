import { expect, test } from 'vitest';
import { buildBlock } from '../../testing/build-block.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { NATIVE } from '../model/movement.ts';
import { bothSides, type DealingsRequest, type TraceReader } from '../model/trace-reader.ts';
import { ReadFailedError } from '../model/transfer-reader.ts';
import { joinDealings } from './join-dealings.ts';

const WALLETS = Array.from({ length: 40 }, (_, at) => `w${at}`);
const memory = createMemoryTraceReader([
  buildBlock({
    chain: 'solana',
    number: 1,
    timeUnixSeconds: 1_700_000_000,
    transactions: WALLETS.flatMap((from, at) =>
      [1, 2, 3].map((far) => {
        const to = WALLETS[(at + far) % WALLETS.length] ?? '';
        return { hash: `${from}-${to}`, sender: from, movements: [{ from, to, amountRaw: 7n }] };
      }),
    ),
  }),
]);

const common = {
  chain: 'solana',
  families: [NATIVE],
  popularAbove: 16,
  signal: new AbortController().signal,
  timeoutMs: 1_000,
};

const counting = (dealings: TraceReader['dealings'] = memory.dealings) => {
  const asked: DealingsRequest[] = [];
  const reader = joinDealings({
    ...memory,
    dealings: (request) => {
      asked.push(request);
      return dealings(request);
    },
  });
  return { asked, reader };
};

const REQUESTS: readonly DealingsRequest[] = [
  { ...common, sides: bothSides(WALLETS.slice(0, 10)), others: [] },
  { ...common, sides: bothSides(WALLETS.slice(5, 12)), others: ['w6', 'w7', 'w30'] },
  { ...common, sides: bothSides(WALLETS.slice(20)), others: ['w7', 'w30', 'w31'] },
  { ...common, sides: bothSides(['nobody']), others: ['w1'] },
  { ...common, sides: [], others: ['w1'] },
];

test('what is asked at once is one question, and answered as if each had asked alone', async () => {
  const { asked, reader } = counting();
  const joined = await Promise.all(REQUESTS.map((request) => reader.dealings(request)));
  expect(joined).toEqual(await Promise.all(REQUESTS.map((request) => memory.dealings(request))));
  expect(joined.map(({ length }) => length)).toEqual([20, 14, 40, 0, 0]);
  expect(joined[1]?.flatMap(({ shared }) => shared)).not.toEqual([]);
  expect(asked.map(({ sides }) => sides.length)).toEqual([66]);
});

test('many sides take two questions, of which each answers for its own', async () => {
  const { asked, reader } = counting();
  const wallets = [...WALLETS, ...Array.from({ length: 30 }, (_, at) => `nobody ${at}`)];
  const many = { ...common, sides: bothSides(wallets), others: ['w7'] };
  expect(await reader.dealings(many)).toEqual(await memory.dealings(many));
  expect(asked.map(({ sides }) => sides.length)).toEqual([70, 70]);
});

test('what is asked later is asked alone, and of no wallets nothing', async () => {
  const { asked, reader } = counting();
  const one = { ...common, sides: bothSides(['w1']), others: [] };
  await reader.dealings(one);
  await reader.dealings({ ...one, sides: [] });
  await reader.dealings(one);
  expect(asked).toHaveLength(2);
});

test('where the question fails, all who asked are told', async () => {
  const { reader } = counting(() => Promise.reject(new ReadFailedError('timeout')));
  const answers = await Promise.allSettled(REQUESTS.map((request) => reader.dealings(request)));
  expect(answers.map(({ status }) => status)).toEqual(REQUESTS.map(() => 'rejected'));
});

import { expect, test } from 'vitest';
import { buildBlock } from '../../testing/build-block.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { NATIVE } from '../model/movement.ts';
import { bothSides, type NeighboursRequest, type TraceReader } from '../model/trace-reader.ts';
import { ReadFailedError } from '../model/transfer-reader.ts';
import { joinNeighbours } from './join-neighbours.ts';

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
  signal: new AbortController().signal,
  timeoutMs: 1_000,
};

const counting = (neighbours: TraceReader['neighbours'] = memory.neighbours) => {
  const asked: NeighboursRequest[] = [];
  const reader = joinNeighbours({
    ...memory,
    neighbours: (request) => {
      asked.push(request);
      return neighbours(request);
    },
  });
  return { asked, reader };
};

const REQUESTS = [
  { ...common, sides: bothSides(WALLETS.slice(0, 10)), perSideMax: 1 },
  { ...common, sides: bothSides(WALLETS.slice(5, 12)), perSideMax: 17 },
  { ...common, sides: WALLETS.map((wallet) => ({ wallet, direction: 'out' as const })), perSideMax: 2 },
  { ...common, sides: [], perSideMax: 17 },
];

test('what is asked at once is answered as if each had asked alone', async () => {
  const { reader } = counting();
  const joined = await Promise.all(REQUESTS.map((request) => reader.neighbours(request)));
  expect(joined).toEqual(await Promise.all(REQUESTS.map((request) => memory.neighbours(request))));
  expect(joined.map(({ length }) => length)).toEqual([20, 42, 80, 0]);
});

test('a few sides take one question, many take two, and none is asked about twice', async () => {
  const few = counting();
  await Promise.all(REQUESTS.slice(0, 2).map((request) => few.reader.neighbours(request)));
  expect(few.asked.map(({ sides }) => sides.length)).toEqual([24]);
  const many = counting();
  const all = { ...common, sides: bothSides(WALLETS), perSideMax: 17 };
  await Promise.all([...REQUESTS, all].map((request) => many.reader.neighbours(request)));
  expect(many.asked.map(({ sides }) => sides.length)).toEqual([40, 40]);
});

test('longer lists are asked for alone, and so is what is asked later', async () => {
  const { asked, reader } = counting();
  const sides = bothSides(['w1']);
  await Promise.all([
    reader.neighbours({ ...common, sides, perSideMax: 400 }),
    reader.neighbours({ ...common, sides, perSideMax: 17 }),
  ]);
  await reader.neighbours({ ...common, sides, perSideMax: 17 });
  expect(asked.map(({ perSideMax }) => perSideMax)).toEqual([400, 17, 17]);
});

test('where the question fails, all who asked are told', async () => {
  const { reader } = counting(() => Promise.reject(new ReadFailedError('timeout')));
  const answers = await Promise.allSettled(REQUESTS.map((request) => reader.neighbours(request)));
  expect(answers.map(({ status }) => status)).toEqual(REQUESTS.map(() => 'rejected'));
});

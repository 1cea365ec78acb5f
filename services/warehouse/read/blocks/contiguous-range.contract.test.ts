import { expect, test } from 'vitest';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import { beforeQueries } from '../../../testing/before-queries.ts';
import { buildBlock } from '../../../testing/build-block.ts';
import { PATIENCE } from '../../../testing/patience.ts';
import { TableStage } from '../../../testing/table-stage.ts';
import { createContiguousRange } from './contiguous-range.ts';
import { readIndexedHead } from './indexed-head.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };

/** Of one chain. */
const rangeOf = (...of: Parameters<typeof createContiguousRange>) => {
  const read = createContiguousRange(...of);
  return async ({ chain, ...limits }: ReadLimits & { readonly chain: string }) =>
    (await read({}, [chain], limits))[0] ?? null;
};
const stage = new TableStage();

/** Blocks of these numbers, ten seconds apart. */
const insert = (chain: string, ...numbers: readonly number[]): Promise<void> =>
  stage.insert(
    numbers.map((number) => buildBlock({ chain, number, timeUnixSeconds: 10 * number, transactions: [] })),
  );
const upTo = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('the newest block of each chain is known, and none of a chain that has none', async () => {
  const headOf = (chain: string) => readIndexedHead(stage.warehouse.reader, { chain, ...limits });
  await insert('polygon', 8, 9);
  expect(await headOf('polygon')).toEqual({ number: 9, timeUnixSeconds: 90 });
  expect(await headOf('bsc')).toBeNull();
});

test('blocks count as indexed back to the last gap, and what may still be on its way is none', async () => {
  // Looks through all blocks each time.
  const spanOf = (chain: string) =>
    rangeOf(stage.warehouse.reader, { nowUnixMs: () => 0 })({ chain, ...limits });
  expect(await spanOf('base')).toBeNull();
  await insert('base', ...upTo(0, 5));
  expect(await spanOf('base')).toEqual({
    fromBlock: expect.any(Number),
    toBlock: expect.any(Number),
    fromUnixSeconds: 0,
    toUnixSeconds: 50,
    beginsChain: true,
    beginningToBlock: 5,
  });
  await insert('base', ...upTo(7, 20));
  expect(await spanOf('base')).toMatchObject({ beginsChain: true, toUnixSeconds: 200 });
  await insert('base', ...upTo(21, 100));
  expect(await spanOf('base')).toEqual({
    fromBlock: expect.any(Number),
    toBlock: expect.any(Number),
    fromUnixSeconds: 70,
    toUnixSeconds: 1_000,
    beginsChain: false,
    beginningToBlock: 5,
  });
  await insert('base', 500, 501);
  expect(await spanOf('base')).toEqual({
    fromBlock: expect.any(Number),
    toBlock: expect.any(Number),
    fromUnixSeconds: 5_000,
    toUnixSeconds: 5_010,
    beginsChain: false,
    beginningToBlock: 5,
  });
  await insert('arbitrum', 30, 31);
  expect(await spanOf('arbitrum')).toMatchObject({ fromUnixSeconds: 300, beginsChain: false });
});

test('while all blocks are looked through again nobody waits for it, and a gap that came meanwhile is seen', async () => {
  let nowUnixMs = 0;
  const gate = Promise.withResolvers<void>();
  let looks = 0;
  // Every look through all blocks but the first waits.
  const client = beforeQueries(stage.warehouse.reader, ({ query_params }) => {
    if (query_params?.from === 0) looks += 1;
    return query_params?.from === 0 && looks > 1 ? gate.promise : null;
  });
  const contiguousRange = rangeOf(client, { nowUnixMs: () => nowUnixMs });
  const spanOf = () => contiguousRange({ chain: 'optimism', ...limits });
  await insert('optimism', ...upTo(0, 5), ...upTo(500, 700));
  expect(await spanOf()).toEqual({
    fromBlock: expect.any(Number),
    toBlock: expect.any(Number),
    fromUnixSeconds: 5_000,
    toUnixSeconds: 7_000,
    beginsChain: false,
    beginningToBlock: 5,
  });
  nowUnixMs += 3_600_000;
  await insert('optimism', ...upTo(701, 800));
  expect(await spanOf()).toEqual({
    fromBlock: expect.any(Number),
    toBlock: expect.any(Number),
    fromUnixSeconds: 5_000,
    toUnixSeconds: 8_000,
    beginsChain: false,
    beginningToBlock: 5,
  });
  await insert('optimism', ...upTo(900, 1_000));
  expect(await spanOf()).toEqual({
    fromBlock: expect.any(Number),
    toBlock: expect.any(Number),
    fromUnixSeconds: 9_000,
    toUnixSeconds: 10_000,
    beginsChain: false,
    beginningToBlock: 5,
  });
  expect(looks).toBe(2);
  await insert('optimism', ...upTo(801, 899));
  gate.resolve();
  const whole = {
    fromBlock: expect.any(Number),
    toBlock: expect.any(Number),
    fromUnixSeconds: 5_000,
    toUnixSeconds: 10_000,
    beginsChain: false,
    beginningToBlock: 5,
  };
  await expect.poll(spanOf, PATIENCE).toEqual(whole);
});

test('a gap that came is seen also while the last look through all blocks is kept', async () => {
  let nowUnixMs = 0;
  // That look takes three seconds, and is kept for a hundred times as long.
  const client = beforeQueries(stage.warehouse.reader, ({ query_params }) => {
    if (query_params?.from === 0) nowUnixMs += 3_000;
  });
  const contiguousRange = rangeOf(client, { nowUnixMs: () => nowUnixMs });
  const spanOf = () => contiguousRange({ chain: 'gnosis', ...limits });
  await insert('gnosis', ...upTo(0, 200));
  expect(await spanOf()).toMatchObject({ beginsChain: true });
  await insert('gnosis', ...upTo(5_000, 5_100));
  expect(await spanOf()).toEqual({
    fromBlock: expect.any(Number),
    toBlock: expect.any(Number),
    fromUnixSeconds: 50_000,
    toUnixSeconds: 51_000,
    beginsChain: false,
    beginningToBlock: 200,
  });
  await insert('gnosis', ...upTo(201, 4_999));
  expect(await spanOf()).toMatchObject({ beginsChain: true, toUnixSeconds: 51_000 });
});

test('the first look is nobody’s own: who waits for it is answered when another one who did has left', async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const client = beforeQueries(stage.warehouse.reader, ({ query_params, abort_signal }) => {
    if (query_params?.from !== 0) return null;
    begun.resolve();
    const left = new Promise((_, reject) => {
      abort_signal?.addEventListener('abort', () => reject(new Error('The user aborted a request.')));
    });
    return Promise.race([gate.promise, left]);
  });
  const contiguousRange = rangeOf(client, { nowUnixMs: () => 0 });
  await insert('avalanche', ...upTo(0, 5));
  const leaving = new AbortController();
  const first = contiguousRange({ chain: 'avalanche', ...limits, signal: leaving.signal });
  const hurried = contiguousRange({ chain: 'avalanche', ...limits, timeoutMs: 1 });
  const second = contiguousRange({ chain: 'avalanche', ...limits });
  second.catch(() => {});
  await begun.promise;
  leaving.abort();
  await expect(first).rejects.toMatchObject({ code: 'aborted' });
  await expect(hurried).rejects.toMatchObject({ code: 'timeout' });
  gate.resolve();
  expect(await second).toMatchObject({ beginsChain: true });
});

test('a look through more blocks than can be looked through at once goes on where it failed', async () => {
  const asked: unknown[] = [];
  let failures = 1;
  const client = beforeQueries(stage.warehouse.reader, ({ query_params }) => {
    if (query_params?.before === undefined) return;
    asked.push(query_params.from);
    if (query_params.from === 0 && failures-- > 0) throw new Error('Timeout error.');
  });
  const contiguousRange = rangeOf(client, { nowUnixMs: () => 0 });
  const spanOf = () => contiguousRange({ chain: 'celo', ...limits });
  await insert('celo', ...upTo(4_999_900, 5_000_000));
  await expect(spanOf()).rejects.toMatchObject({ code: 'timeout' });
  await insert('celo', ...upTo(5_000_001, 5_000_100));
  expect(await spanOf()).toEqual({
    fromBlock: expect.any(Number),
    toBlock: expect.any(Number),
    fromUnixSeconds: 49_999_000,
    toUnixSeconds: 50_001_000,
    beginsChain: false,
    beginningToBlock: null,
  });
  expect(asked).toEqual([1_000_001, 0, 5_000_000 - 128, 0]);
});

test('numbers without blocks are passed over at once, however many they are', async () => {
  let looks = 0;
  const client = beforeQueries(stage.warehouse.reader, ({ query_params }) => {
    if (query_params?.before !== undefined) looks += 1;
  });
  const contiguousRange = rangeOf(client, { nowUnixMs: () => 0 });
  await insert('solana', ...upTo(300_000_000, 300_000_005));
  const begun = {
    ...{ fromUnixSeconds: 3_000_000_000, toUnixSeconds: 3_000_000_050 },
    ...{ fromBlock: 300_000_000, toBlock: 300_000_005 },
    ...{ beginsChain: false, beginningToBlock: null },
  };
  expect(await contiguousRange({ chain: 'solana', ...limits })).toEqual(begun);
  // The part with them, the one before, and whether the chain begins there.
  expect(looks).toBe(3);
});

test('a block far below, from which the chain went straight on, is no gap', async () => {
  await insert('linea', ...upTo(0, 5));
  const next = { chain: 'linea', number: 90_000_000, timeUnixSeconds: 60, transactions: [] };
  await stage.insert([{ ...buildBlock(next), parentNumber: 5 }]);
  await insert('linea', 90_000_001);
  const contiguousRange = rangeOf(stage.warehouse.reader, { nowUnixMs: () => 0 });
  const range = () => contiguousRange({ chain: 'linea', ...limits });
  expect(await range()).toMatchObject({ beginsChain: true, beginningToBlock: 90_000_001 });
  // Also before a gap that came later, and on to the next once that is filled.
  await insert('linea', ...upTo(90_000_500, 90_000_700));
  expect(await range()).toMatchObject({ beginsChain: false, beginningToBlock: 90_000_001 });
  await insert('linea', ...upTo(90_000_002, 90_000_100), ...upTo(90_001_000, 90_001_200));
  expect(await range()).toMatchObject({ fromBlock: 90_001_000, beginningToBlock: 90_000_100 });
});

test('a gap of files is told however small it is, for nothing fills it, and one of a live chain is not', async () => {
  await insert('replayed', ...upTo(0, 40), ...upTo(42, 60));
  const spanAt = (nowUnixMs: number) =>
    rangeOf(stage.warehouse.reader, { nowUnixMs: () => nowUnixMs })({
      ...{ chain: 'replayed', ...limits },
    });
  const HOUR_MS = 3_600_000;
  expect(await spanAt(600_000)).toMatchObject({ beginsChain: true });
  expect(await spanAt(HOUR_MS)).toMatchObject({ fromBlock: 42, beginsChain: false });
  // The same reader, as time passes and no block comes.
  let nowUnixMs = 600_000;
  const contiguousRange = rangeOf(stage.warehouse.reader, { nowUnixMs: () => nowUnixMs });
  const asked = { chain: 'replayed', ...limits };
  expect(await contiguousRange(asked)).toMatchObject({ beginsChain: true });
  nowUnixMs = HOUR_MS;
  expect(await contiguousRange(asked)).toMatchObject({ fromBlock: 42, beginsChain: false });
});

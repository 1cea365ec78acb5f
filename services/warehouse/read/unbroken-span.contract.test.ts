import { expect, test } from 'vitest';
import { beforeQueries } from '../../testing/before-queries.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { readIndexedHead } from './indexed-head.ts';
import { createUnbrokenSpan } from './unbroken-span.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const stage = new TableStage();

/** Blocks of these numbers, ten seconds apart. */
const insert = (chain: string, ...numbers: readonly number[]): Promise<void> =>
  stage.insert(
    numbers.map((number) => buildBlock({ chain, number, timeUnixSeconds: 10 * number, transactions: [] })),
  );
const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

test('the newest block of each chain is known, and none of a chain that has none', async () => {
  const headOf = (chain: string) => readIndexedHead(stage.warehouse.reader, { chain, ...limits });
  await insert('polygon', 8, 9);
  expect(await headOf('polygon')).toEqual({ number: 9, timeUnixSeconds: 90 });
  expect(await headOf('bsc')).toBeNull();
});

test('blocks count as indexed back to the last gap, and what may still be on its way is none', async () => {
  // Looks through all blocks each time.
  const spanOf = (chain: string) =>
    createUnbrokenSpan(stage.warehouse.reader, { nowUnixMs: () => 0 })({ chain, ...limits });
  expect(await spanOf('base')).toBeNull();
  await insert('base', ...upTo(0, 5));
  expect(await spanOf('base')).toEqual({ fromUnixSeconds: 0, toUnixSeconds: 50, beginsChain: true });
  await insert('base', ...upTo(7, 20));
  expect(await spanOf('base')).toMatchObject({ beginsChain: true, toUnixSeconds: 200 });
  await insert('base', ...upTo(21, 100));
  expect(await spanOf('base')).toEqual({ fromUnixSeconds: 70, toUnixSeconds: 1_000, beginsChain: false });
  await insert('base', 500, 501);
  expect(await spanOf('base')).toEqual({ fromUnixSeconds: 5_000, toUnixSeconds: 5_010, beginsChain: false });
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
  const unbrokenSpan = createUnbrokenSpan(client, { nowUnixMs: () => nowUnixMs });
  const spanOf = () => unbrokenSpan({ chain: 'optimism', ...limits });
  await insert('optimism', ...upTo(0, 5), ...upTo(500, 700));
  expect(await spanOf()).toEqual({ fromUnixSeconds: 5_000, toUnixSeconds: 7_000, beginsChain: false });
  nowUnixMs += 3_600_000;
  await insert('optimism', ...upTo(701, 800));
  expect(await spanOf()).toEqual({ fromUnixSeconds: 5_000, toUnixSeconds: 8_000, beginsChain: false });
  await insert('optimism', ...upTo(900, 1_000));
  expect(await spanOf()).toEqual({ fromUnixSeconds: 9_000, toUnixSeconds: 10_000, beginsChain: false });
  expect(looks).toBe(2);
  await insert('optimism', ...upTo(801, 899));
  gate.resolve();
  const whole = { fromUnixSeconds: 5_000, toUnixSeconds: 10_000, beginsChain: false };
  await expect.poll(spanOf, { timeout: 10_000 }).toEqual(whole);
});

import { beforeAll, expect, test } from 'vitest';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { TableStage } from '../../../testing/table-stage.ts';
import { type Claim, type FoundGap, findGaps } from './find-gaps.ts';

const stage = new TableStage();
const MILLION = 1_000_000;
const MEMORY_BYTES = 400 << 20;

/** The real engine, with less memory for a question than it has for one about all blocks. */
const scarce = (): WarehouseClient => {
  const { writer } = stage.warehouse;
  return Object.assign(Object.create(writer), {
    query: (asked: Parameters<WarehouseClient['query']>[0]) =>
      writer.query({
        ...asked,
        clickhouse_settings: { ...asked.clickhouse_settings, max_memory_usage: String(MEMORY_BYTES) },
      }),
  });
};

const gapsOf = async (claim: Omit<Claim, 'chain'>): Promise<FoundGap[]> => {
  const limits = { signal: new AbortController().signal, timeoutMs: 100_000 };
  const found: FoundGap[] = [];
  for await (const gap of findGaps(scarce(), { chain: 'solana', ...claim, ...limits })) found.push(gap);
  return found;
};

/** The gap from one number to another, both without a block. */
const gap = (first: number, last = first): FoundGap => ({
  ...{ first, last },
  before: { number: first - 1, hash: `h${first - 1}` },
  parentOfNext: `h${last}`,
});

// Four million blocks, none of number 900,000 to 900,010, 2,000,000, and 3,000,000 to 100,000,000.
const MISSING = 'number BETWEEN 900000 AND 900010 OR number = 2000000';
beforeAll(async () => {
  const insert = (first: number, count: number) =>
    stage.warehouse.writer.command({
      query: `INSERT INTO blocks (chain, number, hash, parent_hash, parent_number, time, part, parts, transactions, movements, sequence)
SELECT 'solana', number, concat('h', toString(number)), concat('h', toString(number - 1)), number - 1, toDateTime(1600000000), 0, 1, 1, 1, number * 4096
FROM numbers(${first}, ${count}) WHERE NOT (${MISSING})`,
    });
  await insert(0, 3 * MILLION);
  await insert(100 * MILLION + 1, MILLION);
});

test('every gap among more blocks than one question has memory for is found once, with what it lies between', async () => {
  const last = 101 * MILLION;
  expect(await gapsOf({ first: 0, last, lastBlock: last + 5 })).toEqual([
    gap(900_000, 900_010),
    gap(2 * MILLION),
    gap(3 * MILLION, 100 * MILLION),
    { ...gap(last + 1, last + 5), parentOfNext: null },
  ]);
});

test('what a claim lacks at its ends is found wherever it begins and ends', async () => {
  expect(await gapsOf({ first: 900_005, last: 900_020, lastBlock: 900_020 })).toEqual([
    { ...gap(900_005, 900_010), before: null },
  ]);
  expect(await gapsOf({ first: 2_999_990, last: 50 * MILLION, lastBlock: 49 * MILLION })).toEqual([
    { ...gap(3 * MILLION, 49 * MILLION), parentOfNext: null },
  ]);
  expect(await gapsOf({ first: 10 * MILLION, last: 50 * MILLION, lastBlock: 50 * MILLION })).toEqual([
    { first: 10 * MILLION, last: 50 * MILLION, before: null, parentOfNext: null },
  ]);
  expect(await gapsOf({ first: 2_999_990, last: 50 * MILLION, lastBlock: null })).toEqual([]);
  expect(await gapsOf({ first: 1, last: 899_999, lastBlock: 899_999 })).toEqual([]);
});

import { beforeAll, expect, test } from 'vitest';
import type { CaseReader } from '../../investigate/model/case-reader.ts';
import { transactionKey } from '../../investigate/model/transfer-reader.ts';
import { createMemoryCaseReader } from '../../testing/memory/memory-case-reader.ts';
import { CANONICAL_ASSETS, CHAINS, randomBlocks, WALLETS } from '../../testing/random-blocks.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { createCaseReader } from './create-case-reader.ts';
import { createFunderReader } from './create-funder-reader.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const blocks = randomBlocks(20_261_127);
const memory = createMemoryCaseReader(blocks);
const stage = new TableStage();
let tables: CaseReader;

beforeAll(async () => {
  await stage.insert(blocks);
  tables = createCaseReader(stage.warehouse.reader);
});

const EVERYBODY = [...WALLETS, 'stranger'];
const times = { fromUnixSeconds: 0, toUnixSeconds: 1_700_000_012, limit: 1_000 };

test('the tables tell what a wallet got and what it signed as blocks in memory do, up to a time', async () => {
  let seen = 0;
  for (const chain of CHAINS)
    for (const ask of ['receipts', 'signed'] as const) {
      const expected = await memory[ask]({ chain, ...times }, EVERYBODY, limits);
      expect(await tables[ask]({ chain, ...times }, EVERYBODY, limits)).toEqual(expected);
      const two = await tables[ask]({ chain, ...times, limit: 2 }, EVERYBODY, limits);
      expect(two).toEqual(expected.map((of) => of.slice(0, 2)));
      seen += expected.flat().length;
    }
  expect(seen).toBeGreaterThan(300);
});

test('every row of a transaction is told whole, in its order', async () => {
  for (const chain of CHAINS) {
    const received = await memory.receipts({ chain, ...times }, EVERYBODY, limits);
    const positions = received.flatMap((of) => of.slice(0, 20));
    const once = [...new Map(positions.map((at) => [transactionKey(at), at])).values()];
    for (const limit of [10_000, 20]) {
      const expected = await memory.movementsAt({ chain, limit }, once, limits);
      expect(expected.includes(null)).toBe(limit === 20);
      expect(await tables.movementsAt({ chain, limit }, once, limits)).toEqual(expected);
    }
  }
});

test('payments, holdings of their own and first receipts are the same as in memory', async () => {
  for (const chain of CHAINS) {
    for (const wallet of EVERYBODY)
      for (const limit of [1_000, 2]) {
        const common = { chain, wallet, limit };
        const expected = await memory.payments(common, EVERYBODY, limits);
        expect(await tables.payments(common, EVERYBODY, limits)).toEqual(expected);
      }
    const holdings = WALLETS.flatMap((wallet) =>
      CANONICAL_ASSETS.map((canonicalAsset) => ({ wallet, canonicalAsset })),
    );
    const handled = await memory.handled({ chain }, holdings, limits);
    expect(new Set(handled)).toEqual(new Set([true, false]));
    expect(await tables.handled({ chain }, holdings, limits)).toEqual(handled);
    const asked = [holdings.slice(3, 12), []].map((some) => ({
      holdings: some,
      sinceUnixSeconds: 1_700_000_003,
    }));
    const expected = await memory.takenFrom({ chain, limit: 30 }, asked, limits);
    expect(expected[0]?.length).toBeGreaterThan(5);
    expect(await tables.takenFrom({ chain, limit: 30 }, asked, limits)).toEqual(expected);
    const first = await memory.firstReceipts({ chain }, EVERYBODY, limits);
    expect(await tables.firstReceipts({ chain }, EVERYBODY, limits)).toEqual(first);
  }
});

test('whom a look-alike imitates is told of those who dealt with both, never of the one that came first', async () => {
  const pair = (lookalike: string, original: string, seen: number, known: number): string =>
    `('solana', 'ann', '${lookalike}', '${original}', (9, 0, 0, toDateTime(9)), (${seen}, 0, 0), (${known}, 0, 0))`;
  await stage.warehouse.writer.command({
    query: `INSERT INTO lookalikes VALUES ${pair('late', 'early', 5, 2)}, ${pair('early', 'late', 2, 5)}`,
  });
  const among = ['ann', 'bea'];
  const imitatedBy = (lookalike: string) => tables.imitated({ chain: 'solana', lookalike }, among, limits);
  expect([await imitatedBy('late'), await imitatedBy('early')]).toEqual([
    ['early', null],
    [null, null],
  ]);
});

test('a wallet has one first funder, and funders are counted up to what was asked', async () => {
  const first = (wallet: string, block: number, funder: string): string =>
    `('solana', '${wallet}', (${block}, 0, 0, toDateTime(${block}), '${funder}', 7))`;
  await stage.warehouse.writer.command({
    query: `INSERT INTO first_funders VALUES ${first('ann', 5, 'late')}, ${first('ann', 2, 'hub')}, ${first('bea', 3, 'hub')}`,
  });
  await stage.warehouse.writer.command({
    query: `INSERT INTO funder_groups VALUES ('solana', 'hub', 'ann'), ('solana', 'hub', 'bea'), ('solana', 'hub', 'cyd')`,
  });
  const funders = createFunderReader(stage.warehouse.reader);
  const chain = 'solana';
  expect(await funders.firstFunders({ chain }, ['ann', 'nobody'], limits)).toEqual([
    { blockTime: 2, blockNumber: 2, txIndex: 0, funder: 'hub', amountRaw: 7n },
    null,
  ]);
  expect(await funders.fundedCounts({ chain, atMost: 2 }, ['late', 'hub'], limits)).toEqual([0, 2]);
});

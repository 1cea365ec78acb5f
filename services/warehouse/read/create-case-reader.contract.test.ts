import { beforeAll, expect, test } from 'vitest';
import type { CaseReader } from '../../investigate/model/case-reader.ts';
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

const everyWallet = CHAINS.flatMap((chain) =>
  [...WALLETS, 'stranger'].map((wallet) => ({ chain, wallet, ...limits })),
);
const times = { fromUnixSeconds: 0, toUnixSeconds: 1_700_000_012, limit: 1_000 };

test('the tables tell what a wallet got and what it signed as blocks in memory do, up to a time', async () => {
  let seen = 0;
  for (const wallet of everyWallet)
    for (const ask of ['receipts', 'signed'] as const) {
      const expected = await memory[ask]({ ...wallet, ...times });
      expect(await tables[ask]({ ...wallet, ...times })).toEqual(expected);
      expect(await tables[ask]({ ...wallet, ...times, limit: 2 })).toEqual(expected.slice(0, 2));
      seen += expected.length;
    }
  expect(seen).toBeGreaterThan(300);
});

test('every row of a transaction is told whole, in its order', async () => {
  for (const wallet of everyWallet) {
    const positions = (await memory.receipts({ ...wallet, ...times })).slice(0, 20);
    const asked = { ...wallet, positions, limit: 1_000 };
    expect(await tables.movementsAt(asked)).toEqual(await memory.movementsAt(asked));
  }
});

test('payments, holdings of their own and first receipts are the same as in memory', async () => {
  for (const wallet of everyWallet) {
    const asked = { ...wallet, to: WALLETS.slice(1), limit: 1_000 };
    expect(await tables.payments(asked)).toEqual(await memory.payments(asked));
  }
  for (const chain of CHAINS) {
    const holdings = WALLETS.flatMap((wallet) =>
      CANONICAL_ASSETS.map((canonicalAsset) => ({ wallet, canonicalAsset })),
    );
    const handled = await tables.handled({ chain, holdings, ...limits });
    expect(new Set(handled)).toEqual(new Set(await memory.handled({ chain, holdings, ...limits })));
    const taken = {
      chain,
      holdings: holdings.slice(3, 12),
      sinceUnixSeconds: 1_700_000_003,
      limit: 30,
      ...limits,
    };
    const expected = await memory.takenFrom(taken);
    expect(expected.length).toBeGreaterThan(5);
    expect(await tables.takenFrom(taken)).toEqual(expected);
    const asked = { chain, wallets: [...WALLETS, 'stranger'], ...limits };
    expect(await tables.firstReceipts(asked)).toEqual(await memory.firstReceipts(asked));
  }
});

test('whom a look-alike imitates is told of those who dealt with both, never of the one that came first', async () => {
  const pair = (lookalike: string, original: string, seen: number, known: number): string =>
    `('solana', 'ann', '${lookalike}', '${original}', (9, 0, 0, toDateTime(9)), (${seen}, 0, 0), (${known}, 0, 0))`;
  await stage.warehouse.writer.command({
    query: `INSERT INTO lookalikes VALUES ${pair('late', 'early', 5, 2)}, ${pair('early', 'late', 2, 5)}`,
  });
  const among = ['ann', 'bea'];
  const asked = { chain: 'solana', among, ...limits };
  expect(await tables.imitated({ ...asked, lookalike: 'late' })).toEqual(new Map([['ann', 'early']]));
  expect(await tables.imitated({ ...asked, lookalike: 'early' })).toEqual(new Map());
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

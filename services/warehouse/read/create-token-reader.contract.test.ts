import { beforeAll, expect, test } from 'vitest';
import type { TokenReader } from '../../investigate/model/token-reader.ts';
import { DeriveStage } from '../../testing/derive-stage.ts';
import { createMemoryTokenReader } from '../../testing/memory/memory-token-reader.ts';
import { CANONICAL_ASSETS, CHAINS, randomBlocks, WALLETS } from '../../testing/random-blocks.ts';
import { withMemory } from '../../testing/with-memory.ts';
import { tokenFirsts } from '../derive/token-firsts.ts';
import { createTokenReader } from './create-token-reader.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const blocks = randomBlocks(20_261_128);
const memory = createMemoryTokenReader(blocks);
const stage = new DeriveStage();
let tables: TokenReader;

beforeAll(async () => {
  // The later half first: the earliest still wins.
  await stage.insert(blocks.filter((_, index) => index % 60 >= 30));
  await stage.derive([tokenFirsts]);
  await stage.insert(blocks.filter((_, index) => index % 60 < 30));
  await stage.derive([tokenFirsts]);
  tables = createTokenReader(stage.warehouse.reader);
});

const everyToken = CHAINS.flatMap((chain) =>
  CANONICAL_ASSETS.filter((canonicalAsset) => canonicalAsset !== 'native').map((token) => ({
    chain,
    token,
    ...limits,
  })),
);

test('the tables tell first sight, rows, holders and balances of a token as blocks in memory do', async () => {
  let seen = 0;
  for (const token of everyToken) {
    expect(await tables.firstSeen(token)).toEqual(await memory.firstSeen(token));
    const early = { ...token, fromBlock: 1_005, toUnixSeconds: 1_700_000_009, limit: 50 };
    const rows = await memory.tokenMovements(early);
    expect(await tables.tokenMovements(early)).toEqual(rows);
    const held = { ...token, fromBlock: 0, limit: 4 };
    expect(await tables.holders(held)).toEqual(await memory.holders(held));
    const among = { ...token, wallets: WALLETS };
    expect(await tables.balances(among)).toEqual(await memory.balances(among));
    seen += rows.length;
  }
  expect(seen).toBeGreaterThan(100);
});

test('what wallets swapped a token for is the same as in memory', async () => {
  let seen = 0;
  for (const token of everyToken) {
    const asked = { ...token, wallets: WALLETS.slice(1), limit: 1_000 };
    const expected = await memory.trades(asked);
    expect(await tables.trades(asked)).toEqual(expected);
    seen += expected.length;
  }
  expect(seen).toBeGreaterThan(50);
});

test('holders of a token are told with a bounded memory, however many they are', async () => {
  const { reader, writer } = stage.warehouse;
  await writer.command({
    query: `INSERT INTO transfers (chain, block_number, block_time, tx_index, index, kind, to_address, asset, asset_family, amount)
SELECT 'base', 1000000 + number, 1800000000, 0, 0, 'mint', concat('0x', hex(sipHash128(number))), 'dollar', 'dollar', number + 1
FROM numbers(2000000)`,
  });
  const asked = { chain: 'base', token: 'dollar', fromBlock: 0, limit: 2, ...limits };
  const { supplyRaw, holders, top } = await createTokenReader(withMemory(reader, 250 << 20)).holders(asked);
  expect([supplyRaw, holders]).toEqual([2_000_001_000_000n, 2_000_000]);
  expect(top.map(({ amountRaw }) => amountRaw)).toEqual([2_000_000n, 1_999_999n]);
});

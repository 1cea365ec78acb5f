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

const TOKENS = CANONICAL_ASSETS.filter((canonicalAsset) => canonicalAsset !== 'native');

test('the tables tell first sight, rows, holders and balances of a token as blocks in memory do', async () => {
  let seen = 0;
  for (const chain of CHAINS) {
    const asked = [...TOKENS, 'unknown'];
    expect(await tables.firstSeen({ chain }, asked, limits)).toEqual(
      await memory.firstSeen({ chain }, asked, limits),
    );
    const early = asked.map((token) => ({ token, fromBlock: 1_005, toUnixSeconds: 1_700_000_009 }));
    const rows = await memory.tokenMovements({ chain, limit: 50 }, early, limits);
    expect(await tables.tokenMovements({ chain, limit: 50 }, early, limits)).toEqual(rows);
    const since = asked.map((token) => ({ token, fromBlock: 0 }));
    const holders = await memory.holders({ chain, limit: 4 }, since, limits);
    expect(await tables.holders({ chain, limit: 4 }, since, limits)).toEqual(holders);
    for (const canonicalAsset of asked) {
      const balances = await memory.balance({ chain, canonicalAsset }, WALLETS, limits);
      expect(await tables.balance({ chain, canonicalAsset }, WALLETS, limits)).toEqual(balances);
    }
    seen += rows.flat().length;
  }
  expect(seen).toBeGreaterThan(100);
});

test('what wallets swapped a token for is the same as in memory', async () => {
  let seen = 0;
  for (const chain of CHAINS)
    for (const token of TOKENS)
      for (const limit of [1_000, 2]) {
        const expected = await memory.trades({ chain, token, limit }, WALLETS, limits);
        expect(await tables.trades({ chain, token, limit }, WALLETS, limits)).toEqual(expected);
        seen += expected.flat().length;
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
  const bounded = createTokenReader(withMemory(reader, 250 << 20));
  const dollar = { token: 'dollar', fromBlock: 0 };
  expect(await bounded.holders({ chain: 'base', limit: 2 }, [dollar], limits)).toMatchObject([
    {
      ...{ supplyRaw: 2_000_001_000_000n, holders: 2_000_000 },
      top: [{ amountRaw: 2_000_000n }, { amountRaw: 1_999_999n }],
    },
  ]);
});

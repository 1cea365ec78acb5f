import { beforeEach, describe, expect, test } from 'vitest';
import { findChain } from '../../investigate/model/chain.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import {
  DAI,
  DeriveStage,
  HOUR,
  START,
  type Trade,
  tradesAt,
  USDC,
  USDT,
} from '../../testing/derive-stage.ts';
import { withMemory } from '../../testing/with-memory.ts';
import { createPriceReader } from '../read/assets/price.ts';
import { marketTrades } from './market-trades.ts';
import { prices } from './prices.ts';

const stage = new DeriveStage();
beforeEach(() => stage.empty());

const PRICES = [marketTrades, prices];

const times = (count: number, trade: Trade): Trade[] => Array<Trade>(count).fill(trade);

const priceOf = async (canonicalAsset: string, hour: number): Promise<number | null> => {
  const chain = findChain('ethereum');
  if (!chain) throw new Error('the chain is not known');
  const limits = { signal: AbortSignal.timeout(20_000), timeoutMs: 20_000 };
  const moments = [{ canonicalAsset, timeUnixSeconds: START + hour * HOUR + 1_800 }];
  const [price] = await createPriceReader(stage.warehouse.reader).prices({ chain }, moments, limits);
  return price ? Number(price.usd.toPrecision(6)) : null;
};

describe('a price', () => {
  test('comes by way of the coin where nobody pays in dollars', async () => {
    await stage.insert([
      tradesAt(0, [...times(4, [USDC, 2_000, NATIVE, 1]), ...times(4, [NATIVE, 1, 'token', 500])]),
    ]);
    await stage.derive(PRICES);
    expect(await priceOf(NATIVE, 0)).toBe(2_000);
    expect(await priceOf('token', 0)).toBe(4);
  });

  test('is the average by volume, in which what buyers pay on top and sellers get less cancels', async () => {
    const bySize: readonly Trade[] = [...times(3, [USDC, 2_000, NATIVE, 1]), [USDC, 20_900, NATIVE, 10]];
    const bothSides = [...times(3, [USDC, 2_020, NATIVE, 1]), ...times(3, [NATIVE, 1, USDC, 1_980])];
    await stage.insert([tradesAt(0, bySize), tradesAt(9, bothSides)]);
    await stage.derive(PRICES);
    expect(await priceOf(NATIVE, 0)).toBeCloseTo((3 * 2_000 + 20_900) / 13, 2);
    expect(await priceOf(NATIVE, 9)).toBeCloseTo(Math.sqrt(2_020 * 1_980), 2);
    const query = "SELECT resolution, count() FROM prices FINAL WHERE asset = 'native' GROUP BY 1 ORDER BY 1";
    expect(await stage.ask(query)).toEqual([
      ['minute', '2'],
      ['hour', '2'],
    ]);
  });

  test('is not moved by one who paid far too much, nor by a token that calls itself a dollar', async () => {
    const fair = times(9, [USDC, 2_000, NATIVE, 1]);
    await stage.insert([
      tradesAt(0, [...fair, [USDC, 90_000, NATIVE, 1], ...times(30, ['fake usdc', 9_000, NATIVE, 1])]),
    ]);
    await stage.derive(PRICES);
    expect(await priceOf(NATIVE, 0)).toBe(2_000);
  });

  test('is not moved by dust, however many pay it, nor is what is a dollar', async () => {
    const dust = (trade: Trade): Trade[] => times(40, trade);
    await stage.insert([
      tradesAt(0, [...times(12, [USDC, 2_000, NATIVE, 1]), ...dust([USDC, 0.09, NATIVE, 0.00001])]),
      tradesAt(9, [...times(4, [USDC, 2_000, NATIVE, 1]), ...times(5, [USDC, 0.09, NATIVE, 0.00001])]),
      tradesAt(20, [
        ...times(12, [USDC, 2_000, NATIVE, 1]),
        ...[USDT, DAI].flatMap((other) => [
          ...times(12, [USDC, 2_000, other, 2_000]),
          ...dust([USDC, 0.02, other, 0.01]),
        ]),
      ]),
    ]);
    await stage.derive(PRICES);
    expect([await priceOf(NATIVE, 0), await priceOf(NATIVE, 9), await priceOf(NATIVE, 20)]).toEqual([
      2_000, 2_000, 2_000,
    ]);
    expect([await priceOf(USDC, 20), await priceOf(USDT, 20), await priceOf(DAI, 20)]).toEqual([1, 1, 1]);
  });

  test('of a minute is not made of dust beside the usual price', async () => {
    const dust = tradesAt(0, times(3, [USDC, 0.0218, NATIVE, 0.00001]));
    await stage.insert([
      tradesAt(0, times(12, [USDC, 2_000, NATIVE, 1])),
      { ...dust, number: 101, timeUnixSeconds: START + 2_400 },
    ]);
    await stage.derive(PRICES);
    expect(await priceOf(NATIVE, 600 / HOUR)).toBe(2_000);
  });

  test('is not known of a market that is too thin, or of a fake quoted in itself', async () => {
    await stage.insert([
      tradesAt(0, [...times(9, [USDC, 100, 'token', 25]), ...times(2, [USDC, 9_000, NATIVE, 4])]),
    ]);
    await stage.derive(PRICES);
    expect([await priceOf('token', 0), await priceOf(NATIVE, 0), await priceOf('fake usdc', 0)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('of a stablecoin is its peg, but what its markets say in an hour in which all of them are off', async () => {
    const crash = [...times(4, [USDC, 2_000, USDT, 1_760]), ...times(4, [USDC, 2_000, DAI, 1_760])];
    await stage.insert([tradesAt(0, times(4, [USDC, 2_000, USDT, 1_999])), tradesAt(5, crash)]);
    await stage.derive(PRICES);
    expect([await priceOf(USDC, 0), await priceOf(USDT, 0)]).toEqual([1, 1]);
    expect([await priceOf(USDC, 5), await priceOf(USDT, 5), await priceOf(USDC, 9)]).toEqual([0.88, null, 1]);
    // Quoted in what had lost its peg nothing else has a price.
    const coin = times(4, [USDC, 9_000, NATIVE, 1]);
    await stage.insert([tradesAt(6, [...times(4, [USDC, 2_000, USDT, 1_760]), ...coin])]);
    await stage.derive(PRICES);
    expect(await priceOf(NATIVE, 6)).toBeNull();
    await stage.insert([tradesAt(7, coin)]);
    await stage.derive(PRICES);
    expect(await priceOf(NATIVE, 7)).toBe(9_000);
  });
});

test('a block that comes late changes every price that one run over everything would give otherwise', async () => {
  await stage.insert([
    tradesAt(2, times(3, [USDC, 300, NATIVE, 0.15])),
    tradesAt(4, [[NATIVE, 0.1, 'token', 50]]),
    tradesAt(6, times(3, [USDC, 300, 'token', 75])),
  ]);
  await stage.derive(PRICES);
  const priced = () =>
    stage.ask(`SELECT asset, (toUnixTimestamp(time) - ${START}) / ${HOUR}, round(usd) FROM prices FINAL
      WHERE resolution = 'hour' AND usd IS NOT NULL ORDER BY asset, time`);
  expect(await priced()).toEqual([]);
  // A market of the coin, by which the token's trade two hours later has a worth, which makes a market two hours after that.
  await stage.insert([tradesAt(0, [[USDC, 200, NATIVE, 0.1]])]);
  await stage.derive(PRICES);
  expect(await priced()).toEqual([
    ['native', 0, 2_000],
    ['native', 2, 2_000],
    ['token', 4, 4],
    ['token', 6, 4],
  ]);
});

test('prices of ten years are made in one run', async () => {
  const MONTH = 730;
  const months = Array.from({ length: 120 }, (_, month) => month * MONTH);
  await stage.insert(months.map((hour) => tradesAt(hour, times(3, [USDC, 2_000, NATIVE, 1]))));
  await stage.derive(PRICES);
  expect([await priceOf(NATIVE, 0), await priceOf(NATIVE, 119 * MONTH)]).toEqual([2_000, 2_000]);
});

test('prices take the memory of what was traded, however many assets a chain has', async () => {
  const { writer } = stage.warehouse;
  const all = 'hex(sipHash128(number))';
  await writer.command({ query: `INSERT INTO assets SELECT 'solana', ${all}, 6 FROM numbers(750000)` });
  await writer.command({
    query: `INSERT INTO asset_claims (chain, asset, symbol, decimals, sequence) SELECT 'base', ${all}, 'x', 6, 0 FROM numbers(750000)`,
  });
  await stage.insert([
    tradesAt(0, [...times(4, [USDC, 2_000, NATIVE, 1]), ...times(4, [NATIVE, 1, 'token', 500])]),
  ]);
  const client = withMemory(writer, 100 << 20);
  const ofAll =
    'SELECT asset, any(decimals) FROM (SELECT asset, decimals FROM assets UNION ALL SELECT asset, decimals FROM asset_claims) GROUP BY asset';
  await expect(client.command({ query: ofAll })).rejects.toMatchObject({ type: 'MEMORY_LIMIT_EXCEEDED' });
  await stage.derive(PRICES, { client });
  expect(await priceOf('token', 0)).toBe(4);
});

import { describe, expect, test } from 'vitest';
import { checkPriceRow, type PriceRow } from './check-price-row.ts';

const NOW = 1_750_000_000;
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const row = (changed: Partial<PriceRow>): PriceRow => ({
  where: 'line 2',
  chain: 'ethereum',
  asset: 'native',
  time: '1700000000',
  usd: '2000.5',
  ...changed,
});
const check = (changed: Partial<PriceRow>) => checkPriceRow(row(changed), NOW);
const timeOf = (time: string) => {
  const checked = check({ time });
  return 'price' in checked ? checked.price.timeUnixSeconds : checked.refusal.code;
};
const assetOf = (asset: string, chain = 'ethereum') => {
  const checked = check({ asset, chain });
  return 'price' in checked ? checked.price.asset : checked.refusal.code;
};

test('a row is taken as the tables hold it', () => {
  expect(check({ chain: 'Ethereum' })).toEqual({
    price: { chain: 'ethereum', asset: 'native', timeUnixSeconds: 1_700_000_000, usd: 2_000.5 },
  });
});

describe('times', () => {
  test.each([
    ['1700000000', 1_700_000_000],
    ['1700000000123', 1_700_000_000],
    ['1700000000123456', 1_700_000_000],
    ['2023-11-14', 1_699_920_000],
    ['2023-11-14 22:13:20', 1_700_000_000],
    ['2023-11-14 22:13:20 UTC', 1_700_000_000],
    ['2023-11-14T22:13:20.500Z', 1_700_000_000],
    ['2023-11-14T23:13:20+01:00', 1_700_000_000],
    ['2023-11-14T22:13', 1_699_999_980],
  ])('%s is read', (text, expected) => expect(timeOf(text)).toBe(expected));

  test.each([
    '',
    'yesterday',
    '14.11.2023',
    '2023-13-01',
    '2023-11-14 25:00',
    '1990-01-01',
    '2099-01-01',
    '17e8',
  ])('"%s" is refused', (text) => expect(timeOf(text)).toBe('bad_time'));
});

test('an asset is the coin, however it is named, or an address that passes its checksum', () => {
  for (const coin of ['native', 'ETH', 'eth', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'])
    expect(assetOf(coin), coin).toBe('native');
  expect(assetOf(USDT)).toBe(USDT.toLowerCase());
  expect(assetOf(USDT.replace('dAC', 'dac'))).toBe('bad_asset');
  // A symbol names no asset: anybody can take it.
  expect(assetOf('USDT')).toBe('bad_asset');
  expect(assetOf('SOL', 'solana')).toBe('native');
  expect(assetOf('ETH', 'nochain')).toBe('unknown_chain');
});

test.each(['', '0', '-1', 'NaN', 'Infinity', '1,5', '$2', '0x10', '1e999'])(
  'the price "%s" is refused',
  (usd) => {
    expect(check({ usd })).toMatchObject({ refusal: { code: 'bad_price', where: 'line 2' } });
  },
);

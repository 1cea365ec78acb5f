import { expect, test } from 'vitest';
import { CHAINS, findChain } from './chain.ts';
import { describeAsset } from './describe-asset.ts';
import { KNOWN_ASSETS } from './known-assets.ts';

const chain = (name: string) => {
  const found = findChain(name);
  if (!found) throw new Error(`${name} is not a chain`);
  return found;
};
const ethereum = chain('ethereum');
const TOKEN = '0x00000000000000000000000000000000000000aa';
const symbolOf = (symbol: string) => describeAsset(ethereum, TOKEN, { symbol, decimals: 6 }).symbol;

test('a token that calls itself like a listed asset has no symbol and no peg, whatever it says', () => {
  for (const { symbol } of KNOWN_ASSETS) {
    for (const claimed of [symbol, symbol.toLowerCase(), `$${symbol}`, `${symbol}-`]) {
      const facts = describeAsset(ethereum, TOKEN, { symbol: claimed, decimals: 6 });
      expect(facts, claimed).toEqual({ symbol: null, decimals: 6, wrappedOf: null, peg: null });
    }
  }
  expect(symbolOf('ETH')).toBeNull();
  expect(symbolOf('wsol')).toBeNull();
});

test('letters of other alphabets, spaces and addresses of pages are no symbol', () => {
  for (const claimed of ['USDС', 'ＵＳＤＣ', 'US​DC', 'claim at a.io', 'a.io', '', 'x'.repeat(21)])
    expect(symbolOf(claimed), claimed).toBeNull();
});

test('an honest symbol is shown, and what nobody says stays null', () => {
  expect(symbolOf('WIF')).toBe('WIF');
  expect(describeAsset(ethereum, TOKEN, { symbol: null, decimals: null })).toEqual({
    symbol: null,
    decimals: null,
    wrappedOf: null,
    peg: null,
  });
});

test('a listed asset is what the list says, against its own word', () => {
  const usdc = KNOWN_ASSETS.find((known) => known.chain === 'base' && known.symbol === 'USDC')?.asset ?? '';
  const facts = { symbol: 'USDC', decimals: 6, wrappedOf: null, peg: 'USD' };
  expect(describeAsset(chain('base'), usdc, { symbol: 'FAKE', decimals: 18 })).toEqual(facts);
  // The same address on another chain is somebody else's.
  expect(describeAsset(ethereum, usdc, { symbol: 'USDC', decimals: 6 })).toMatchObject({ peg: null });
});

test('every chain knows its coin and its wrapped coin', () => {
  for (const each of CHAINS) {
    const { symbol, decimals } = each.native;
    const nothing = { symbol: null, decimals: null };
    expect(describeAsset(each, 'native', nothing)).toMatchObject({ symbol, decimals, wrappedOf: null });
    expect(describeAsset(each, each.wrappedNative, nothing)).toEqual({
      symbol: `W${symbol}`,
      decimals,
      wrappedOf: 'native',
      peg: null,
    });
  }
});

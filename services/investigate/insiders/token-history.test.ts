import { expect, test } from 'vitest';
import { findChain } from '../model/chain.ts';
import type { ListedWindow } from '../model/history.ts';
import { isTokenReadSince } from './token-history.ts';

const chain = findChain('ethereum');
const HEAD_AT = 1_700_000_000;
const window = (last: number, fields: Partial<ListedWindow> = {}): ListedWindow => ({
  ...{ chain: 'ethereum', address: 'token', kinds: ['emitted'], asset: null, first: 100, last },
  ...{ lastUnixSeconds: null, source: 'evm-node', proof: 'listed', reason: null, transactions: 9 },
  ...{ readAtUnixSeconds: HEAD_AT + 900, ...fields },
});
const span = { fromUnixSeconds: HEAD_AT - 60, toUnixSeconds: HEAD_AT + 60, fromBlock: 500, toBlock: 510 };
const indexed = { ...span, beginsChain: false, beginningToBlock: null };

const isRead = (windows: readonly ListedWindow[], since: typeof indexed | null = indexed, first = 120) => {
  if (chain === null) throw new Error('ethereum is not known');
  const backfills = { canBackfill: () => true, lastBackfill: () => null, windows: () => windows };
  return isTokenReadSince(chain, 'token', backfills, { first, span: since });
};

test('a token is known from a block on where its reading reached the indexed blocks, or the newest one', () => {
  expect(isRead([window(499)])).toBe(true);
  expect(isRead([window(300), window(499, { first: 301 })])).toBe(true);
  expect(isRead([window(450, { lastUnixSeconds: HEAD_AT })])).toBe(true);
  expect(isRead([window(450, { lastUnixSeconds: HEAD_AT })], null)).toBe(true);
});

test('it is not where the reading was cut, or the newest block then came before the first indexed one', () => {
  expect(isRead([window(450)])).toBe(false);
  expect(isRead([window(450)], null)).toBe(false);
  expect(isRead([window(450, { lastUnixSeconds: HEAD_AT - 61 })])).toBe(false);
  expect(isRead([window(499, { proof: 'partial', reason: 'pruned' })])).toBe(false);
  expect(isRead([window(499)], indexed, 99)).toBe(false);
});

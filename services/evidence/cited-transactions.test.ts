import { expect, test } from 'vitest';
import { readExamples } from '../api/contract/describe-api.ts';
import { citedTransactions } from './cited-transactions.ts';

const hash = (digit: string): string => `0x${digit.repeat(64)}`;
const SIGNATURE = '5'.repeat(88);

test('every transaction is cited once, on the chain of the part that names it', () => {
  const answer = {
    chain: 'ethereum',
    hops: [{ signature: hash('a'), transactions: [{ signature: hash('a') }, { signature: hash('b') }] }],
    end: {
      output: { chain: 'solana', signature: SIGNATURE },
      signature: null,
      next: { path: '/tx', body: { hash: hash('c') } },
    },
    meta: { explorer: { transaction: 'https://etherscan.io/tx/{hash}' } },
  };
  expect(citedTransactions(answer)).toEqual([
    { chain: 'ethereum', transaction: hash('a') },
    { chain: 'ethereum', transaction: hash('b') },
    { chain: 'solana', transaction: SIGNATURE },
  ]);
});

const HASH = /^(0x[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{86,88})$/;

/** Wherever they stand, but for calls to make next. */
const hashesIn = (value: unknown): string[] => {
  if (typeof value === 'string') return HASH.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (name === 'next' ? [] : hashesIn(part)));
};

test.each(Object.entries(readExamples()))(
  'what an answer of %s cites is all found, on its chain',
  (_, example) => {
    const answer = example?.answer;
    const cited = citedTransactions(answer);
    const hashes = new Set(hashesIn(answer));
    expect(hashes.size).toBeGreaterThan(0);
    expect(new Set(cited.map(({ transaction }) => transaction))).toEqual(hashes);
    expect(cited.filter(({ chain }) => !['solana', 'ethereum'].includes(chain))).toEqual([]);
  },
);

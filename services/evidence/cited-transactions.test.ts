import { expect, test } from 'vitest';
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

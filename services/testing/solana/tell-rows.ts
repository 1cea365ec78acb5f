import { expect } from 'vitest';
import { BALANCES_NOT_CONTINUOUS } from '../../ingest/solana/balance-run.ts';
import { decodeSolanaBlock } from '../../ingest/solana/decode-solana-block.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import {
  block,
  FEE,
  keyOf,
  RENT,
  type TestTransaction,
  transaction,
  WRAPPED_SOL,
} from './build-transaction.ts';
import { findSumRuleBreaks } from './sum-rule.ts';

const names = [
  'alice',
  'bob',
  'carol',
  'vault',
  'pool',
  'mint',
  'alice tokens',
  'bob tokens',
  'temp',
  'stake',
];
const nameOf = new Map(names.map((name) => [keyOf(name), name]));
export const told = (key: string | null): string => (key === null ? 'nobody' : (nameOf.get(key) ?? key));

const tellRows = (transactions: readonly TestTransaction[], votes: 'each' | 'sum'): string[] => {
  const raw = block(...transactions.map(transaction));
  const decoded = decode(raw, votes);
  expect(findSumRuleBreaks(raw, decoded)).toEqual([]);
  return decoded.movements
    .filter(({ kind, asset }) => kind !== 'fee' || asset !== 'native')
    .map(({ kind, from, to, amountRaw, asset, authority }) => {
      const signed = authority === null ? '' : ` by ${told(authority)}`;
      return `${kind} ${told(from)} -> ${told(to)} ${amountRaw} ${told(asset)}${signed}`;
    });
};

/** The rows without the fee, as `kind from -> to amount asset (authority)`; the sum rule is checked on the way. */
export const rowsOf = (...transactions: readonly TestTransaction[]): string[] =>
  tellRows(transactions, 'each');

/** The same rows as events keep them. */
export const keptRowsOf = (...transactions: readonly TestTransaction[]): string[] =>
  tellRows(transactions, 'sum');

/** Tests tell each transaction by itself: that balances do not run on from one to the next is left out. */
export const decode = (raw: unknown, votes: 'each' | 'sum' = 'each'): DecodedBlock => {
  const decoded = decodeSolanaBlock({ block: raw, slot: 100, chain: 'solana', votes });
  return { ...decoded, problems: decoded.problems.filter(({ code }) => code !== BALANCES_NOT_CONTINUOUS) };
};

/** What bridges told in a transaction, as events keep it. */
export const crossingsOf = (of: TestTransaction): DecodedBlock['bridgeTransfers'] =>
  decode(block(transaction(of)), 'sum').bridgeTransfers;

export const SOL = 1_000_000_000n;
export const payer = (before: bigint, spent: bigint): TestTransaction['accounts'][number] => ({
  name: 'alice',
  before,
  after: before - spent - FEE,
});
export const wrapped = (
  name: string,
  owner: string,
  amountBefore: bigint | null,
  amountAfter: bigint | null,
  excess = 0n,
) => ({
  name,
  mint: WRAPPED_SOL,
  owner,
  before: amountBefore === null ? 0n : amountBefore + RENT,
  after: amountAfter === null ? 0n : amountAfter + RENT + excess,
  ...(amountBefore === null ? {} : { amountBefore }),
  ...(amountAfter === null ? {} : { amountAfter }),
});

export const holding = (
  name: string,
  owner: string,
  amountBefore: bigint | undefined,
  amountAfter: bigint | undefined,
) => ({
  name,
  mint: 'mint',
  owner,
  before: amountBefore === undefined ? 0n : RENT,
  after: amountAfter === undefined ? 0n : RENT,
  ...(amountBefore === undefined ? {} : { amountBefore }),
  ...(amountAfter === undefined ? {} : { amountAfter }),
});

import { expect, test } from 'vitest';
import { decodeSolanaBlock } from '../../ingest/solana/decode-solana-block.ts';
import { block, FEE, keyOf, RENT, systemTransfer, tokenTransfer, transaction } from './build-transaction.ts';
import { findSumRuleBreaks } from './sum-rule.ts';

const raw = block(
  transaction({
    accounts: [
      { name: 'alice', before: 100_000n, after: 100_000n - FEE - 70n },
      { name: 'bob', before: 1n, after: 71n },
      {
        name: 'from',
        before: RENT,
        after: RENT,
        mint: 'mint',
        owner: 'alice',
        amountBefore: 9n,
        amountAfter: 4n,
      },
      {
        name: 'to',
        before: RENT,
        after: RENT,
        mint: 'mint',
        owner: 'bob',
        amountBefore: 0n,
        amountAfter: 5n,
      },
    ],
    instructions: [systemTransfer('alice', 'bob', 70n), tokenTransfer('from', 'to', 'alice', 5n)],
  }),
);
const decoded = decodeSolanaBlock({ block: raw, slot: 1, chain: 'solana', votes: 'each' });

test('a sound decoding breaks nothing', () => {
  expect(decoded.movements.length).toBe(3);
  expect(findSumRuleBreaks(raw, decoded)).toEqual([]);
});

test('a row that is missing, too large or given to another party is found', () => {
  for (const position of decoded.movements.keys()) {
    const without = decoded.movements.filter((_, i) => i !== position);
    expect(findSumRuleBreaks(raw, { ...decoded, movements: without }).length).toBeGreaterThan(0);
    const larger = decoded.movements.map((row, i) =>
      i === position ? { ...row, amountRaw: row.amountRaw + 1n } : row,
    );
    expect(findSumRuleBreaks(raw, { ...decoded, movements: larger }).length).toBeGreaterThan(0);
    const moved = decoded.movements.map((row, i) =>
      i === position ? { ...row, from: keyOf('carol') } : row,
    );
    expect(findSumRuleBreaks(raw, { ...decoded, movements: moved }).length).toBeGreaterThan(0);
  }
});

test('exempt transactions are left out', () => {
  expect(findSumRuleBreaks(raw, { ...decoded, movements: [], exempt: { some_reason: [0] } })).toEqual([]);
});

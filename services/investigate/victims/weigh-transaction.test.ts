import { expect, test } from 'vitest';
import type { PlacedMovement } from '../model/case-reader.ts';
import { GETTERS_MAX } from './rules.ts';
import { weighTransaction } from './weigh-transaction.ts';

const row = (from: string, to: string, amountRaw: bigint): PlacedMovement => ({
  ...{ blockTime: 1, blockNumber: 1, txIndex: 0, hash: 'hash', sender: 'sender', kind: 'transfer' },
  ...{ canonicalAsset: 'token', authority: null, from, to, amountRaw },
});

test('however many pay however many at once, each payer is told with a bounded number: those who got most', () => {
  const rows = Array.from({ length: 200 }, (_, index) => [
    row(`payer ${index}`, 'thief', 2n),
    row(`payer ${index}`, `friend ${index}`, BigInt(index + 1)),
  ]);
  const takings = weighTransaction(rows.flat(), 'thief');
  expect(takings).toHaveLength(200);
  for (const { others } of takings) expect(others).toHaveLength(GETTERS_MAX);
  expect(takings[0]?.others[0]?.address).toBe('friend 199');
  expect(takings[7]).toMatchObject({ payer: 'payer 7', lostRaw: 10n, rows: { length: 2 } });
});

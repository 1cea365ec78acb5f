import { expect, test } from 'vitest';
import { fitConfidence, type Sample } from './fit-confidence.ts';

const samples = (keys: readonly string[], right: number, wrong: number, pair = ''): Sample[] =>
  [true, false].map((isOwner) => ({
    ...{ mode: 'free', anonymitySet: 50, keys, pair, isOwner, count: isOwner ? right : wrong },
  }));

test('an amount that agrees to the last unit is worth at least what one less a fee is, seen or not', () => {
  const bare = samples([], 10, 490);
  const { weights } = fitConfidence([
    ...bare,
    ...samples(['fee_fit.plain'], 90, 10),
    ...samples(['fee_fit.strong'], 95, 5),
    ...samples(['exact_amount.strong'], 5, 5),
  ]);
  expect(weights['fee_fit.plain']).toBeGreaterThan(3);
  expect(weights['exact_amount.plain']).toBe(weights['fee_fit.plain']);
  expect(weights['exact_amount.strong']).toBe(weights['fee_fit.strong']);
});

test('a payment of a wallet that pays everybody is worth what another’s is, before those it ties share it', () => {
  const { weights } = fitConfidence([
    ...samples([], 10, 490),
    ...samples(['gas_by_depositor.strong'], 95, 5),
    ...samples(['gas_by_depositor.plain'], 10, 90),
  ]);
  expect(weights['gas_by_depositor.strong']).toBeGreaterThan(3);
  expect(weights['gas_by_depositor.plain']).toBe(weights['gas_by_depositor.strong']);
});

test('evidence that is right as often as chance has no weight', () => {
  const { weights } = fitConfidence([...samples([], 10, 490), ...samples(['shared_payee.plain'], 1, 200)]);
  expect(weights).toEqual({ 'shared_payee.plain': 0 });
});

test('of profiles a coincidence of two owners counts once, however often it was seen', () => {
  const keys = ['equal_counts.plain'];
  const fitSeen = (times: number) =>
    fitConfidence([
      ...samples([], 10, 490),
      ...samples(keys, times, 0, 'ann and herself'),
      ...samples(keys, 0, 1, 'ann and bea'),
      ...samples(keys, 0, 1, 'ann and cy'),
    ]).weights;
  expect(fitSeen(1)['equal_counts.plain']).toBeGreaterThan(0);
  expect(fitSeen(10)).toEqual(fitSeen(1));
});

import { expect, test } from 'vitest';
import type { TruthLine } from '../../services/demo-world/truth.ts';
import type { Label } from '../../services/investigate/model/label.ts';
import type { Figure } from '../bench/figure.ts';
import { grade as gradeDepositAddresses } from './deposit-addresses.ts';
import { grade as gradeLabels } from './labels.ts';
import { grade as gradePrices } from './prices.ts';

const valuesOf = (figures: readonly Figure[]) =>
  Object.fromEntries(figures.map(({ name, value, met }) => [name.split('.')[1], [value, met]]));

test('a deposit address of another exchange is found wrongly, and one that swept once need not be found', () => {
  const truth = [
    ['a', 'alder', 9],
    ['b', 'birch', 2],
    ['c', 'alder', 1],
    ['d', 'alder', 2],
  ].map(
    ([address, exchange, sweeps]) =>
      ({ type: 'deposit_address', chain: 'solana', address, exchange, sweeps }) as TruthLine,
  );
  const found = [
    { chain: 'solana', address: 'a', entity: 'alder' },
    { chain: 'solana', address: 'b', entity: 'alder' },
    { chain: 'ethereum', address: 'd', entity: 'alder' },
    { chain: 'solana', address: 'c', entity: 'alder' },
  ];
  const figures = gradeDepositAddresses(found, truth);
  expect(valuesOf(figures)).toEqual({ precision: [0.5, false], recall: [0.3333, false] });
  expect(valuesOf(gradeDepositAddresses(found.slice(0, 1), truth))).toMatchObject({ precision: [1, true] });
});

test('a price is compared with the truth of its hour, and what is not known is no error but no answer either', () => {
  const truth = [100, 200, 300].map(
    (usd, hour) =>
      ({ type: 'price', chain: 'solana', asset: 'native', time: hour * 3_600, usd }) as TruthLine,
  );
  const priced = (usd: number | null, hour: number) => ({
    ...{ chain: 'solana', asset: 'native', time: hour * 3_600 },
    price: usd === null ? null : { usd, source: 'market' as const },
  });
  const answers = [priced(101, 0), priced(null, 1), priced(306, 2), priced(1, 9)];
  expect(valuesOf(gradePrices(answers, new Set(['solana native']), truth))).toEqual({
    median_relative_error: [0.02, false],
    median_relative_error_all: [0.02, null],
    answered_share: [0.6667, null],
  });
});

test('coverage counts who is known, and the share of the same kind only them', () => {
  const label = (kind: Label['kind']) => ({ name: 'any', kind });
  const listed = (['exchange', 'mixer', 'mixer', 'hack'] as const).map((kind, at) => ({
    ...{ ...label(kind), chain: 'ethereum' },
    address: `0x${at}`,
  }));
  const shown = [label('exchange'), label('mixer'), label('exchange'), undefined];
  expect(valuesOf(gradeLabels({ listed, refused: 2, shown }))).toEqual({
    found: [3, null],
    total: [4, null],
    refused: [2, null],
    coverage: [0.75, null],
    same_kind_share: [0.6667, null],
  });
});

import { expect, test } from 'vitest';
import type { LabelKind } from '../../investigate/model/label.ts';
import { chainsOfKey, holdingOn } from './inherit-labels.ts';

const said = (chain: string, kind: LabelKind) => ({ chain, kind });
const kindsOn = (
  chain: string,
  labels: readonly ReturnType<typeof said>[],
  contracts: readonly string[] = [],
) => holdingOn(chain, labels, new Set(contracts)).map(({ kind }) => kind);

test('a key is on all EVM chains, and a Solana address on Solana alone', () => {
  expect(chainsOfKey('base')).toEqual(['ethereum', 'base', 'arbitrum', 'optimism', 'polygon', 'bsc']);
  expect(chainsOfKey('ethereum')).toEqual(chainsOfKey('base'));
  expect(chainsOfKey('solana')).toEqual(['solana']);
});

test.each(['sanctioned', 'hack', 'exchange', 'other'] as const)(
  '%s, said of a key, holds elsewhere',
  (kind) => {
    expect(kindsOn('base', [said('ethereum', kind)])).toEqual([kind]);
    expect(kindsOn('ethereum', [said('bsc', kind)])).toEqual([kind]);
  },
);

test.each(['mixer', 'bridge', 'dex', 'contract'] as const)(
  '%s keeps its chain, and what else is said there',
  (kind) => {
    const labels = [said('ethereum', kind), said('ethereum', 'sanctioned')];
    expect(kindsOn('base', labels)).toEqual([]);
    expect(kindsOn('ethereum', labels)).toEqual([kind, 'sanctioned']);
  },
);

test('code that was seen at an address, here or where the label was said, keeps labels on their chain', () => {
  const labels = [said('ethereum', 'exchange'), said('base', 'other')];
  expect(kindsOn('base', labels, ['base'])).toEqual(['other']);
  expect(kindsOn('base', labels, ['ethereum'])).toEqual(['other']);
  expect(kindsOn('base', labels, ['polygon'])).toEqual(['exchange', 'other']);
  expect(kindsOn('base', [...labels, said('base', 'dex')])).toEqual(['other', 'dex']);
});

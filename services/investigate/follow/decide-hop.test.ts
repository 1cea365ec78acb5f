import { expect, test } from 'vitest';
import { classifyOutflows } from './decide-hop.ts';
import type { WalletDestination } from './payments/group-destinations.ts';

const paid = (address: string, amountRaw: bigint): WalletDestination => {
  const largest = { blockTime: 1, blockNumber: 1, txIndex: 0, amountRaw };
  return { type: 'wallet', address, amountRaw, carriers: [largest], first: largest, largest };
};
const three = (amountRaw: bigint) => ['a', 'b', 'c'].map((address) => paid(address, amountRaw));

test.each([
  ['nothing left', 100n, [], 'rest'],
  ['just below a tenth left', 1_000n, [paid('a', 99n)], 'rest'],
  ['a tenth left', 1_000n, [paid('a', 100n)], 'hop'],
  ['one got just half of what left', 100n, [paid('a', 50n), paid('b', 25n), paid('c', 25n)], 'hop'],
  ['none got half, and half of it left', 60n, three(10n), 'split'],
  ['none got half, and just below half of it left', 61n, three(10n), 'scattered'],
] as const)('where %s, the money did so', (_, arrivedRaw, destinations, type) => {
  const leftRaw = destinations.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
  expect(classifyOutflows(arrivedRaw, leftRaw, destinations).type).toBe(type);
});

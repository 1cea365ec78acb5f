import { expect, test } from 'vitest';
import type { Label } from '../../investigate/model/label.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { followAndTell, followWith, toFollowRequest } from '../../testing/ask-follow.ts';
import { type Crossing, move, tellStory } from '../../testing/chain-story.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const onBase = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const [ANN, BEA, GATE, EVE] = ['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
];
const labels = new Map<string, Label>([[GATE, { name: 'Gate', kind: 'bridge' }]]);
const deposit: Crossing = {
  ...{ bridge: 'across', side: 'deposit', messageId: '1:7', farChain: 'base' },
  ...{ from: BEA, to: EVE, asset: usdc, amountRaw: 5_000_000n },
};
const near = (crossings: readonly Crossing[]) =>
  tellStory('ethereum', [
    { time: 10, moves: [move(ANN, BEA, 5_000_000n, { asset: usdc })] },
    { time: 20, moves: [move(BEA, GATE, 5_000_000n, { asset: usdc })], crossings },
    { time: 30, moves: [move(EVE, ANN, 1n)] },
  ]);
/** A block of base that has nothing to do with it: the chain is read here. */
const elsewhere = tellStory('base', [{ time: 900, moves: [move(ANN, EVE, 1n)] }]);

const endOf = async (crossings: readonly Crossing[], far: typeof elsewhere = []) => {
  const reader = createMemoryReader([...near(crossings), ...far], { labels });
  const request = toFollowRequest({ chain: 'ethereum', start: ANN, canonicalAsset: usdc });
  const { end } = await followAndTell(request, followWith(reader));
  expect(end).toMatchObject({ reason: 'bridge', output: null });
  return end.detail;
};

test('a payout that is not found yet: what the bridge says, where it was looked for, whom to follow', async () => {
  expect(await endOf([deposit], elsewhere)).toBe(
    `The money reached Gate, a bridge: it goes on to another chain. The bridge says that 5 USDC goes to base to ${EVE} under the number 1:7. Its payout was not found in what is indexed of base: ask again later, or follow ${EVE} on base.`,
  );
});

test('a chain of which nothing is indexed is named as not read here', async () => {
  expect(await endOf([deposit])).toContain(
    `5 USDC goes to base to ${EVE} under the number 1:7. base is not read here, so its payout was not matched: ask a service that reads base.`,
  );
});

test('a chain that nobody here speaks of is none that is read', async () => {
  expect(await endOf([{ ...deposit, farChain: null }], elsewhere)).toContain(
    'No chain that is read here is named, so its payout was not matched: look it up in an explorer',
  );
});

test('a bridge that said nothing that is understood here', async () => {
  expect(await endOf([], elsewhere)).toContain(
    'Its payout was not matched: what the bridge says of that transaction is not understood here',
  );
});

test('a number that payouts of different assets have', async () => {
  const paid = (asset: string, time: number) => ({
    ...{ time, moves: [move(null, EVE, 5_000_000n, { asset, kind: 'mint' as const })] },
    crossings: [{ ...deposit, side: 'delivery' as const, farChain: 'ethereum', asset }],
  });
  const told = await endOf([deposit], tellStory('base', [paid(onBase, 900), paid('native', 901)]));
  expect(told).toContain('different assets have that number on base');
});

test('what could not be read is told, and the answer is no whole one', async () => {
  const reader = {
    ...createMemoryReader(near([deposit]), { labels }),
    bridgeTransfers: () => Promise.reject(new ReadFailedError('unavailable')),
  };
  const request = toFollowRequest({ chain: 'ethereum', start: ANN, canonicalAsset: usdc });
  const trail = await followAndTell(request, followWith(reader));
  expect(trail.end.detail).toContain('Where it came out could not be read: ask again later.');
  expect(trail.isComplete).toBe(false);
});

import { expect, test } from 'vitest';
import { bulkAddress, bulkBlocks } from '../../services/demo-world/bulk-transfers.ts';
import { follow } from '../../services/investigate/follow/follow.ts';
import { followWith, toFollowRequest } from '../../services/testing/ask-follow.ts';
import { createMemoryReader } from '../../services/testing/memory-reader.ts';
import { plantTrails } from './plant-trails.ts';

test('a planted trail is followed to its end through wallets that move other money too', async () => {
  const bulk = { seed: 1, transfers: 2_000, chain: 'solana' };
  const [trails, hops] = [3, 8];
  // Busy wallets too, the same ones for every trail.
  const walletOf = (at: number): string => bulkAddress(bulk, at % (hops + 1) === 2 ? 1 : 10 + at);
  const blocks = [...bulkBlocks(bulk)];
  const last = blocks.at(-1);
  if (last === undefined) throw new Error('no block');
  const reader = createMemoryReader([...blocks, ...plantTrails(last, { trails, hops, walletOf })]);
  const atUnixSeconds = (last.timeUnixSeconds ?? 0) + 1;
  for (let trail = 0; trail < trails; trail += 1) {
    const start = walletOf(trail * (hops + 1));
    const followed = await follow(toFollowRequest({ start, atUnixSeconds }), followWith(reader));
    const expected = Array.from({ length: hops }, (_, hop) => walletOf(trail * (hops + 1) + hop + 1));
    expect(followed.hops.map(({ to }) => to)).toEqual(expected);
  }
});

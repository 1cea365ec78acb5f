import { expect, test } from 'vitest';
import { followWith, toFollowRequest } from '../../../testing/ask-follow.ts';
import { decodeRealBlock } from '../../../testing/evm/real-evm-blocks.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import { describeWithSharedData } from '../../../testing/shared-data.ts';
import { follow } from '../follow.ts';

type Case = readonly [what: string, block: string, tx: number, receipt: string | null];

/** Deposits of single wallets in real blocks; null: what came back was no receipt of whoever took the money. */
const CASES: readonly Case[] = [
  ['dollars lent to Compound', 'ethereum/11098450', 157, '0x39aa39c021dfbae8fac545936693ac917d5e7563'],
  ['dollars in a vault of Harvest', 'ethereum/11098450', 161, '0xf0358e8c3cd5fa238a29301d0bea3d63a17bedbe'],
  ['coin lent to Compound', 'ethereum/11098450', 164, '0x4ddc2d193948926d02f9b1fe9e1daa0718270ed5'],
  [
    'coin lent to Aave through its gateway',
    'ethereum/17034873',
    144,
    '0x4d5f47fa6a74757f35c14fd3a6ef8e3c9bc514e8',
  ],
  [
    'coin in the pool of a marketplace',
    'ethereum/17034873',
    139,
    '0x0000000000a39bb272e79075ade125fd351887ac',
  ],
  ['coin staked', 'ethereum/17300000', 92, '0xf951e335afb289353dc249e82926178eac7ded78'],
  ['a token that somebody else took', 'polygon/50000000', 282, null],
];

describeWithSharedData('positions', () => {
  test.each(CASES)('%s is told as what it was', async (_, place, txIndex, receipt) => {
    const [chain = '', number = ''] = place.split('/');
    const block = decodeRealBlock({ chain, number });
    const swap = block.swaps.find((each) => each.txIndex === txIndex);
    if (swap === undefined) throw new Error('no swap there');
    const request = toFollowRequest({ chain, start: swap.owner, canonicalAsset: swap.gaveAsset });
    const trail = await follow(request, followWith(createMemoryReader([block])));
    expect(trail.end).toMatchObject({ reason: 'dex_swap', output: { asset: swap.gotAsset } });
    const { position } = trail.end as { readonly position?: object };
    expect(position === undefined ? null : swap.gotAsset).toBe(receipt);
  });
});

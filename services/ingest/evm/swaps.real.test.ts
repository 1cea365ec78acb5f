import { expect, test } from 'vitest';
import { NATIVE } from '../../investigate/model/movement.ts';
import { decodeRealBlock, listRealBlocks, readRealParts } from '../../testing/evm/real-evm-blocks.ts';
import { describeWithSharedData } from '../../testing/shared-data.ts';
import { rulesOf } from './chain-rules.ts';

/** Swap logs of Uniswap V2 and V3 and their many copies: the last topic is who got the proceeds. */
const SWAP_TOPICS = [
  '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
];
type Receipt = { from: string; status: string; logs: { address: string; topics: string[] }[] };

describeWithSharedData('swaps of real EVM blocks', () => {
  const blocks = listRealBlocks();

  test('a sender who paid and got the proceeds of a pool has a swap, through that pool where it was the only one', () => {
    let senders = 0;
    for (const block of blocks) {
      const { swaps, movements } = decodeRealBlock(block);
      (readRealParts(block).receipts as Receipt[]).forEach(({ from, logs }, position) => {
        const pools = logs.filter(({ topics }) => SWAP_TOPICS.includes(topics[0] ?? ''));
        const paid = pools.filter(({ topics }) => topics[2]?.endsWith(from.slice(2)));
        if (pools.length === 0 || paid.length !== pools.length) return;
        // Some have a contract of theirs pay, and the proceeds sent to themselves: they gave nothing.
        const gave = movements.some(
          (row) => row.txIndex === position && row.from === from && row.kind !== 'fee',
        );
        if (!gave) return;
        senders++;
        const own = swaps.filter(({ owner, txIndex }) => owner === from && txIndex === position);
        expect(own.length, `${block.chain} ${block.number} ${position}`).toBeGreaterThan(0);
        if (pools.length === 1) expect(own.some(({ through }) => through === pools[0]?.address)).toBe(true);
      });
    }
    expect(senders).toBeGreaterThan(20);
  });

  test('no pool whose swap log a transaction holds is itself the owner of a swap there', () => {
    let checked = 0;
    for (const block of blocks) {
      const receipts = readRealParts(block).receipts as Receipt[];
      for (const { owner, txIndex } of decodeRealBlock(block).swaps) {
        const pools = receipts[txIndex]?.logs.filter(({ topics }) => SWAP_TOPICS.includes(topics[0] ?? ''));
        expect(pools?.map(({ address }) => address)).not.toContain(owner);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(100);
  });

  test('swaps name two different assets and never the wrapped coin beside the coin', () => {
    for (const block of blocks) {
      for (const { gaveAsset, gotAsset } of decodeRealBlock(block).swaps) {
        expect(gaveAsset).not.toBe(gotAsset);
        expect([gaveAsset, gotAsset]).not.toContain(rulesOf(block.chain).wrappedNative);
        expect(gaveAsset === NATIVE || gotAsset === NATIVE || gaveAsset.startsWith('0x')).toBe(true);
      }
    }
  });
});

import { expect, test } from 'vitest';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { bulkAddress, bulkBlocks } from './bulk-transfers.ts';

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const base58Bytes = (text: string): number => {
  let value = 0n;
  for (const character of text) value = value * 58n + BigInt(BASE58.indexOf(character));
  let bytes = 0;
  for (; value > 0n; value >>= 8n) bytes++;
  return bytes;
};

const TRANSFERS = 20_000;
const blocksOf = (seed: number, chain: string): DecodedBlock[] => [
  ...bulkBlocks({ seed, transfers: TRANSFERS, chain }),
];

test.each(['solana', 'ethereum'])('bulk blocks of %s are the same for the same seed only', (chain) => {
  expect(blocksOf(7, chain)).toEqual(blocksOf(7, chain));
  expect(blocksOf(7, chain)[0]?.movements).not.toEqual(blocksOf(8, chain)[0]?.movements);
});

test('bulk blocks yield exactly the transfers asked for, numbered without gaps', () => {
  const blocks = [...bulkBlocks({ seed: 1, transfers: 1_234, transfersPerBlock: 100 })];
  expect(blocks.map((block) => block.movements.length).reduce((sum, count) => sum + count)).toBe(1_234);
  for (const block of blocks) {
    let position = { txIndex: -1, index: 0 };
    for (const { txIndex, index } of block.movements) {
      const starts = txIndex !== position.txIndex;
      expect({ txIndex, index }).toEqual(
        starts ? { txIndex: position.txIndex + 1, index: 0 } : { txIndex, index: position.index + 1 },
      );
      position = { txIndex: txIndex ?? -1, index };
    }
  }
});

test('bulk blocks form one chain, and no transaction hash comes twice', () => {
  const blocks = blocksOf(3, 'ethereum');
  for (const [at, block] of blocks.slice(1).entries()) {
    expect(block.parentHash).toBe(blocks[at]?.hash);
    expect(block.parentNumber).toBe(blocks[at]?.number);
  }
  const hashes = blocks.flatMap((block) => [block.hash, ...block.transactions.map(({ hash }) => hash)]);
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('bulk names are base58 of exactly 32 and 64 bytes on Solana, and hex elsewhere', () => {
  for (const block of blocksOf(5, 'solana').slice(0, 4)) {
    for (const { hash, sender } of block.transactions) {
      expect([base58Bytes(hash), base58Bytes(sender)]).toEqual([64, 32]);
    }
  }
  for (const { hash, sender } of blocksOf(5, 'base')[0]?.transactions ?? []) {
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(sender).toMatch(/^0x[0-9a-f]{40}$/);
  }
});

test('six hot wallets hold between 2 and 6 % of each side, and the rest follow a power law', () => {
  const options = { seed: 11, transfers: 200_000, chain: 'solana' };
  const seen = { from: new Map<string, number>(), to: new Map<string, number>() };
  for (const block of bulkBlocks(options)) {
    for (const movement of block.movements) {
      for (const side of ['from', 'to'] as const) {
        const party = movement[side] ?? '';
        seen[side].set(party, (seen[side].get(party) ?? 0) + 1);
      }
    }
  }
  for (const side of ['from', 'to'] as const) {
    for (let hot = 0; hot < 6; hot++) {
      const share = (seen[side].get(bulkAddress(options, hot)) ?? 0) / options.transfers;
      expect(share).toBeGreaterThan(0.017);
      expect(share).toBeLessThan(0.07);
    }
    const counts = [...seen[side].values()].sort((a, b) => b - a);
    const wallets = options.transfers / 20;
    expect(counts.length).toBeGreaterThan(wallets * 0.8);
    expect(counts[6] ?? 0).toBeGreaterThan(20 * (counts[Math.floor(wallets / 2)] ?? 0));
  }
});

import { expect, test } from 'vitest';
import { block, join, transaction, VOTE } from '../../../testing/solana/build-transaction.ts';
import { decode, payer, SOL } from '../../../testing/solana/tell-rows.ts';

const carrying = (data: Uint8Array, failed: boolean) =>
  transaction({ accounts: [payer(SOL, 0n)], instructions: [{ program: VOTE, accounts: [], data }], failed });
/** What the Vote program was called with: four bytes of tag, and the rest of a vote's usual size. */
const call = (tag: readonly number[], next: number, length: number): Uint8Array =>
  join(tag, [next], new Uint8Array(length - 5).fill(7));
const TOWER_SYNC = [14, 0, 0, 0];
const NO_VOTE = [
  [14, 0, 0, 1],
  [13, 255, 255, 255],
];
const LENGTHS = Array.from({ length: 81 }, (_, at) => 80 + at);
const NEXTS = [0, 1, 2, 127, 253, 254, 255];

test('whether a call is a vote is told by its four bytes, whatever others called before it', () => {
  for (const length of LENGTHS) {
    const votes = NEXTS.map((next) => carrying(call(TOWER_SYNC, next, length), false));
    const strangers = NO_VOTE.flatMap((tag) => NEXTS.map((next) => carrying(call(tag, next, length), true)));
    const feesOf = (count: number) => 5_000n * BigInt(count);
    for (const raws of [
      [...strangers, ...votes],
      [...votes, ...strangers],
    ]) {
      const { movements, voteFeesRaw } = decode(block(...raws), 'sum');
      expect([movements.length, voteFeesRaw], `of ${length} bytes`).toEqual([
        strangers.length,
        feesOf(votes.length),
      ]);
    }
  }
});

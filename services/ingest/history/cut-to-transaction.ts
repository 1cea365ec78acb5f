import { createHash } from 'node:crypto';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { BlockFormatError } from '../block-format-error.ts';

// Above the index of any transaction in a block, and within the column's 32 bits.
const OWN_PLACES = 2 ** 30;

/** For a transaction with an unknown index in its block: a number of its own, above all indexes. */
export const ownPlace = (hash: string): number =>
  OWN_PLACES + (createHash('sha256').update(hash).digest().readUInt32BE() >>> 2);

/**
 * Reduces a block that was decoded from a single transaction to that transaction at its index; null when it
 * moved nothing. Leaves out what concerns the block: rewards, gathered fees, its parent. @throws
 * BlockFormatError when the transaction could not be decoded, because its movements are unknown
 */
export const cutToTransaction = (
  block: DecodedBlock,
  place: (hash: string) => number,
): DecodedBlock | null => {
  const [transaction] = block.transactions;
  if (!transaction) return refuseUndecoded(block);
  const txIndex = place(transaction.hash);
  const own = <T extends { readonly txIndex: number | null }>(rows: readonly T[]) =>
    rows.filter((row) => row.txIndex === transaction.txIndex).map((row) => ({ ...row, txIndex }));
  return {
    ...block,
    parentHash: '',
    parentNumber: null,
    transactions: [{ ...transaction, txIndex }],
    movements: own(block.movements),
    swaps: own(block.swaps),
    bridgeTransfers: own(block.bridgeTransfers),
    controlEvents: own(block.controlEvents),
    problems: own(block.problems),
    exempt: Object.fromEntries(Object.keys(block.exempt).map((reason) => [reason, [txIndex]])),
    voteFeesRaw: 0n,
  };
};

const refuseUndecoded = ({ problems }: DecodedBlock): null => {
  const problem = problems.find(({ txIndex }) => txIndex !== null);
  if (problem) throw new BlockFormatError(problem.code, problem.message);
  return null;
};

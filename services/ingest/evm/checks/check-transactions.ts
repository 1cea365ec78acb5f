import type { DecodeProblem } from '../../../investigate/model/block.ts';
import { fieldOf, lowerOf, type RawObject } from '../read-hex.ts';
import { type Entry, readRoot, transactionHash, transactionsRoot } from './prove-roots.ts';

/** A transaction with its trace, where it has one. */
export type Traced = Entry & { readonly trace: unknown };

/**
 * Compares transactions with what the header tells of all of them (`root`; null where they are not to be compared so), and else those
 * that pay something, and that no trace repeats, with their own hashes. All of them would take as long as all else of a block.
 */
export const checkTransactions = (
  block: RawObject,
  entries: readonly Traced[],
  isAll: boolean,
): readonly DecodeProblem[] => {
  const root = isAll ? readRoot(block.transactionsRoot) : null;
  const found = root === null ? undefined : transactionsRoot(entries);
  // Where the form of one is not known the others still have their hashes.
  if (found === undefined) return entries.flatMap(checkHash);
  const message = 'the transactions do not make the root in the header';
  return found === root
    ? []
    : [{ code: 'transactions_contradict', txIndex: null, message }, ...entries.flatMap(checkHash)];
};

const checkHash = (entry: Traced): readonly DecodeProblem[] => {
  const { txIndex, tx } = entry;
  if (tx.value === '0x0' || isRepeatedByTrace(entry)) return [];
  const hash = transactionHash(entry);
  if (hash === undefined || hash === lowerOf(tx.hash)) return [];
  return [
    {
      code: 'transactions_contradict',
      txIndex,
      message: 'the transaction does not have the hash that the block gives it',
    },
  ];
};

/** Letter by letter: what is only written otherwise is hashed. */
const isRepeatedByTrace = ({ tx, trace }: Traced): boolean => {
  const isSame = (field: string): boolean => fieldOf(tx, field) === fieldOf(trace, field);
  return isSame('from') && isSame('value') && isSame('input') && (isSame('to') || !fieldOf(tx, 'to'));
};

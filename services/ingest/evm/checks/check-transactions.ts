import type { DecodeProblem } from '../../../investigate/model/block.ts';
import { lowerOf, type RawObject } from '../read-hex.ts';
import {
  type Entry,
  readRoot,
  type Signed,
  transactionHash,
  transactionsRoot,
  writeSigned,
} from './prove-roots.ts';

/** Compares transactions with their hashes and with the header's root. `isAll`: the entries are the whole block. */
export const checkTransactions = (
  block: RawObject,
  entries: readonly Entry[],
  isAll: boolean,
): readonly DecodeProblem[] => {
  const signed = writeSigned(entries);
  const root = isAll ? readRoot(block.transactionsRoot) : null;
  const found = root === null ? undefined : transactionsRoot(signed);
  const message = 'the transactions do not make the root in the header';
  const ofAll: readonly DecodeProblem[] =
    found === undefined || found === root
      ? []
      : [{ code: 'transactions_contradict', txIndex: null, message }];
  return [...ofAll, ...entries.flatMap((entry, at) => checkHash(entry, signed[at]))];
};

/** An unknown form cannot be checked. */
const checkHash = ({ txIndex, tx }: Entry, signed: Signed): readonly DecodeProblem[] => {
  if (signed === undefined) return [];
  if (signed !== null && transactionHash(signed) === lowerOf(tx.hash)) return [];
  return [
    {
      code: 'transactions_contradict',
      txIndex,
      message: 'the transaction does not have the hash that the block gives it',
    },
  ];
};

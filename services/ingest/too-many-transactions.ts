import { BlockFormatError } from './block-format-error.ts';

/** Several times what fits into any block. Each broken transaction costs time and a stored problem. */
const TRANSACTIONS_MAX = 100_000;

/** Throws `BlockFormatError` `too_many_transactions`. */
export const refuseTooMany = ({ length }: readonly unknown[]): void => {
  if (length <= TRANSACTIONS_MAX) return;
  const counts = `${length} transactions, and ${TRANSACTIONS_MAX} is the most that is read`;
  throw new BlockFormatError('too_many_transactions', `the block has ${counts}`);
};

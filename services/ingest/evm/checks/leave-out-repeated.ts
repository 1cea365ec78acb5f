import type { DecodeProblem } from '../../../investigate/model/block.ts';
import type { RawTransaction } from '../decode-transaction.ts';
import { fieldOf } from '../read-hex.ts';

/** A block has no transaction twice: the second listing of one moved nothing. */
export const leaveOutRepeated = (
  transactions: readonly RawTransaction[],
): { readonly once: readonly RawTransaction[]; readonly findings: readonly DecodeProblem[] } => {
  const seen = new Set<string>();
  const findings: DecodeProblem[] = [];
  const once = transactions.filter(({ txIndex, tx }) => {
    const hash = fieldOf(tx, 'hash');
    if (typeof hash !== 'string') return true;
    const isNew = seen.size < seen.add(hash.toLowerCase()).size;
    const message = 'the block lists the transaction a second time';
    if (!isNew) findings.push({ code: 'transaction_repeated', txIndex, message });
    return isNew;
  });
  return { once, findings };
};

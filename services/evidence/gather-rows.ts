import { citedTransactions } from './cited-transactions.ts';
import type { EvidenceRow } from './evidence-row.ts';
import type { Cited } from './statement.ts';

/** Every movement of these transactions of one chain that is known here; of more than `rowsMax` any so many and one. */
export type ReadRows = (
  chain: string,
  transactions: readonly string[],
  limits: { readonly rowsMax: number; readonly signal: AbortSignal },
) => Promise<readonly EvidenceRow[]>;

export type EvidenceSource = {
  readonly readRows: ReadRows;
  /** Of a whole case. */
  readonly rowsMax: number;
};

/** Anybody may fill a transaction with movements: there is a bound to what one case can hold. */
export class EvidenceTooLargeError extends Error {
  readonly code = 'evidence_too_large';
  constructor(rowsMax: number) {
    super(`the transactions that are cited have more than ${rowsMax} movements together`);
    this.name = 'EvidenceTooLargeError';
  }
}

/** Transactions of one query. */
const HASHES_EACH = 500;

/** The movements that an answer rests on, and what it cites that has none here. Throws `EvidenceTooLargeError`. */
export const gatherRows = async (
  answer: unknown,
  { readRows, rowsMax }: EvidenceSource,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly EvidenceRow[]; readonly withoutEvidence: readonly Cited[] }> => {
  const cited = citedTransactions(answer);
  const rows: EvidenceRow[] = [];
  for (const [chain, of] of Map.groupBy(cited, (each) => each.chain))
    for (let at = 0; at < of.length; at += HASHES_EACH) {
      const some = of.slice(at, at + HASHES_EACH).map(({ transaction }) => transaction);
      const limits = { rowsMax: rowsMax - rows.length, signal };
      for (const row of await readRows(chain, some, limits)) rows.push(row);
      if (rows.length > rowsMax) throw new EvidenceTooLargeError(rowsMax);
    }
  const has = new Set(rows.map(({ chain, transaction }) => `${chain}:${transaction}`));
  const withoutEvidence = cited.filter(({ chain, transaction }) => !has.has(`${chain}:${transaction}`));
  return { rows, withoutEvidence };
};

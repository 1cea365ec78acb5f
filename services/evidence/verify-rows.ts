import type { DecodedBlock } from '../investigate/model/block.ts';
import type { EvidenceRow } from './evidence-row.ts';

export type Verdict = 'verified' | 'mismatch' | 'not_available';
export type JudgedRow = { readonly row: EvidenceRow; readonly verdict: Verdict };

/**
 * Level 2: every row is looked for in a block that somebody else supplies, decoded again. A row of another block
 * hash, time or amount, or of a transaction that is not there, is a mismatch. Its index is not compared: a node
 * without traces numbers other rows.
 */
export class RowJudge {
  readonly #waiting: Map<string, EvidenceRow[]>;
  readonly #judged: JudgedRow[] = [];

  constructor(rows: readonly EvidenceRow[]) {
    this.#waiting = Map.groupBy(rows, ({ chain, block }) => placeOf(chain, block));
  }

  /** The blocks that have not come yet. */
  missing(): { readonly chain: string; readonly block: number }[] {
    return [...this.#waiting.values()].flatMap(([row]) =>
      row ? [{ chain: row.chain, block: row.block }] : [],
    );
  }

  /** Judges its rows; other blocks are passed over. */
  take(block: DecodedBlock): void {
    const place = placeOf(block.chain, block.number);
    const rows = this.#waiting.get(place) ?? [];
    this.#waiting.delete(place);
    const found = countMovements(rows.length > 0 ? block : null);
    const isSame = (row: EvidenceRow): boolean =>
      block.hash === row.block_hash && block.timeUnixSeconds === row.time;
    for (const row of rows)
      this.#judged.push({ row, verdict: isSame(row) && takeOne(found, row) ? 'verified' : 'mismatch' });
  }

  /** Every row once; those whose block did not come are not available. */
  verdicts(): JudgedRow[] {
    const rest = [...this.#waiting.values()].flat();
    return [...this.#judged, ...rest.map((row) => ({ row, verdict: 'not_available' as const }))];
  }
}

const placeOf = (chain: string, block: number): string => `${chain}:${block}`;

type Moved = Pick<EvidenceRow, 'transaction' | 'kind' | 'from' | 'to' | 'asset' | 'amount_raw'>;
const keyOf = (row: Moved): string =>
  JSON.stringify([row.transaction, row.kind, row.from, row.to, row.asset, row.amount_raw]);

/** Two equal rows need two equal movements. */
const takeOne = (found: Map<string, number>, row: Moved): boolean => {
  const left = found.get(keyOf(row)) ?? 0;
  found.set(keyOf(row), left - 1);
  return left > 0;
};

const countMovements = (block: DecodedBlock | null): Map<string, number> => {
  const found = new Map<string, number>();
  if (!block) return found;
  const hashes = new Map(block.transactions.map(({ txIndex, hash }) => [txIndex, hash]));
  for (const { txIndex, kind, from, to, asset, amountRaw } of block.movements) {
    const transaction = txIndex === null ? undefined : hashes.get(txIndex);
    if (transaction === undefined) continue;
    const key = keyOf({ transaction, kind, from, to, asset, amount_raw: String(amountRaw) });
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return found;
};

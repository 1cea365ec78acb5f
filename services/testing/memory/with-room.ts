import { comparePlaces, type TransactionPosition } from '../../investigate/model/transfer-reader.ts';

/** The rows of each transaction. null for the one that reaches the limit, counted in chain order, and for those behind it. */
export const withRoom = <Row>(
  positions: readonly TransactionPosition[],
  limit: number,
  rowsOf: (position: TransactionPosition) => readonly Row[],
): readonly (readonly Row[] | null)[] => {
  const answers = new Map<TransactionPosition, readonly Row[]>();
  let left = limit;
  for (const position of positions.toSorted(comparePlaces)) {
    const rows = rowsOf(position);
    left -= rows.length;
    if (left <= 0) break;
    answers.set(position, rows);
  }
  return positions.map((position) => answers.get(position) ?? null);
};

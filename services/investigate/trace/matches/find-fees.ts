import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import { sumPaid } from '../amounts.ts';
import { isMostOf } from '../link-legs.ts';
import type { QueryContext } from '../query-context.ts';
import { readRows } from '../read-rows.ts';
import { FITS_LOOKED_AT_MAX } from '../rules.ts';
import type { MatchingTransfer, Search } from '../search.ts';

/**
 * Which of the matches are what a relayer got for another's withdrawal: the smaller part of what the pool paid in a transaction that its recipient
 * sent. What a mixer pays several of its customers at once, it sends itself. Asks only where fees can fit: of a pool of notes they are
 * less than any of them, and nobody is paid for a deposit out of it; and only of as many as are read for their amounts.
 */
export const findFees = async (
  { request, intermediary, found }: Pick<Search, 'request' | 'intermediary' | 'found'>,
  matches: readonly MatchingTransfer[],
  context: QueryContext,
): Promise<(match: MatchingTransfer) => boolean> => {
  const mayBeFees = intermediary.kind === 'mixer' && found.mode === 'free' && request.direction === 'out';
  if (!mayBeFees || matches.length > FITS_LOOKED_AT_MAX) return () => false;
  const canonicalAssets = [...new Set(matches.map(({ canonicalAsset }) => canonicalAsset))];
  const { rows, complete } = await readRows(matches, canonicalAssets, context);
  // Of a transaction that is read in part nobody knows who got most.
  if (!complete) return () => false;
  const byPlace = Map.groupBy(rows, transactionKey);
  return (match) => isFee(match, byPlace.get(transactionKey(match)) ?? []);
};

/** Who sent it is known of every row of a transaction. What a pool pays through its router the router pays out. */
const isFee = (
  { counterparty, wallet, through, canonicalAsset }: MatchingTransfer,
  rows: readonly TransactionRow[],
): boolean => {
  if (rows[0]?.sender !== counterparty) return false;
  const payer = through ?? wallet;
  const toOthers = rows.filter(({ to }) => to !== counterparty);
  return isMostOf(sumPaid(toOthers, payer, canonicalAsset), sumPaid(rows, payer, canonicalAsset));
};

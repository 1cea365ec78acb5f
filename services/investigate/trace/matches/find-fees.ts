import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import { sumPaid } from '../amounts.ts';
import { isMostOf } from '../link-legs.ts';
import type { QueryContext } from '../query-context.ts';
import { readRows } from '../read-rows.ts';
import { FITS_LOOKED_AT_MAX } from '../rules.ts';
import type { MatchingTransfer, Search } from '../search.ts';

/**
 * Which matches are relayer fees: the smaller payout of a transaction whose recipient sent it. A mixer that
 * pays several customers at once sends the transaction itself. Queries only when fees can match. In a pool of
 * notes they cannot: a fee is less than a note, and a deposit pays nobody out of the pool.
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
  // A transaction that was read only in part does not show who received most.
  if (!complete) return () => false;
  const byPlace = Map.groupBy(rows, transactionKey);
  return (match) => isFee(match, byPlace.get(transactionKey(match)) ?? []);
};

/**
 * Every row of a transaction has its sender. A pool that pays through its router counts as paid out by the
 * router.
 */
const isFee = (
  { counterparty, wallet, through, canonicalAsset }: MatchingTransfer,
  rows: readonly TransactionRow[],
): boolean => {
  if (rows[0]?.sender !== counterparty) return false;
  const payer = through ?? wallet;
  const toOthers = rows.filter(({ to }) => to !== counterparty);
  return isMostOf(sumPaid(toOthers, payer, canonicalAsset), sumPaid(rows, payer, canonicalAsset));
};

import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import type { Ask } from '../ask.ts';
import { isMostOf } from '../link-legs.ts';
import { readRows } from '../read-rows.ts';
import { FITS_LOOKED_AT_MAX } from '../rules.ts';
import type { Fit, Search } from '../search.ts';
import { sumPaid } from './sum-paid.ts';

/**
 * Which of the fits are what a relayer got for another's withdrawal: the smaller part of what the pool paid in a transaction that its recipient
 * sent. What a mixer pays several of its customers at once, it sends itself. Asks only where fees can fit: of a pool of notes they are
 * less than any of them, and nobody is paid for a deposit out of it; and only of as many as are read for their amounts.
 */
export const findFees = async (
  { request, middle, found }: Pick<Search, 'request' | 'middle' | 'found'>,
  fits: readonly Fit[],
  ask: Ask,
): Promise<(fit: Fit) => boolean> => {
  const mayBeFees = middle.kind === 'mixer' && found.mode === 'free' && request.direction === 'out';
  if (!mayBeFees || fits.length > FITS_LOOKED_AT_MAX) return () => false;
  const canonicalAssets = [...new Set(fits.map(({ canonicalAsset }) => canonicalAsset))];
  const { rows, complete } = await readRows(fits, canonicalAssets, ask);
  // Of a transaction that is read in part nobody knows who got most.
  if (!complete) return () => false;
  const byPlace = Map.groupBy(rows, transactionKey);
  return (fit) => isFee(fit, byPlace.get(transactionKey(fit)) ?? []);
};

/** Who sent it is known of every row of a transaction. What a pool pays through its router the router pays out. */
const isFee = (
  { counterparty, wallet, through, canonicalAsset }: Fit,
  rows: readonly TransactionRow[],
): boolean => {
  if (rows[0]?.sender !== counterparty) return false;
  const payer = through ?? wallet;
  const toOthers = rows.filter(({ to }) => to !== counterparty);
  return isMostOf(sumPaid(toOthers, payer, canonicalAsset), sumPaid(rows, payer, canonicalAsset));
};

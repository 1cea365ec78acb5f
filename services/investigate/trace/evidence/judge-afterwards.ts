import type { Address } from '../../model/address.ts';
import { fromWholeUnits } from '../../model/amount.ts';
import { type CanonicalAsset, knownDecimals } from '../../model/asset.ts';
import { wholeUnits } from '../amounts.ts';
import type { CandidateSet } from '../candidate-set.ts';
import { strayBelowRaw } from '../dust.ts';
import { priceAssets } from '../price-assets.ts';
import type { QueryContext } from '../query-context.ts';
import { STRAY_PARTS } from '../rules.ts';
import type { Search } from '../search.ts';
import type { Holding } from '../trace-answer.ts';
import { isBeforeUse, type Payment } from './payment.ts';

/** The value of a payment that ties a candidate, as received and kept by its payee. */
export type Paid = {
  readonly candidate: Address;
  readonly payment: Payment;
  readonly given: readonly Holding[];
};

type EarnestVerdict = { readonly isInEarnest: (one: Paid) => boolean; readonly isPriced: boolean };
type Judging = { readonly search: Search; readonly candidateSet: CandidateSet };

/**
 * Whether a payment is evidence of ownership. Everybody can see who used a service, and for cents a thief
 * could make a stranger look like himself. So a payment after the other party's use counts only from a
 * hundredth of the traced value on, at the prices of that time, and not when those are unknown (`isPriced`).
 * Queries only for payments in another asset.
 */
export const judgeAfterwards = async (
  paid: readonly Paid[],
  { search, candidateSet }: Judging,
  context: QueryContext,
): Promise<EarnestVerdict> => {
  const isLate = ({ candidate, payment: { payer, at } }: Paid): boolean => {
    const pair = [candidate, candidateSet.wallet];
    const other = pair.find((wallet) => wallet !== payer);
    return (
      pair.includes(payer) && other !== undefined && !isBeforeUse(candidateSet, { wallet: other, first: at })
    );
  };
  const given = paid.filter(isLate).flatMap((one) => one.given);
  const canonicalAssets = [...new Set(given.map(({ canonicalAsset }) => canonicalAsset))];
  const least = await findLeast(canonicalAssets, search, context);
  const isEnough = ({ canonicalAsset, amountRaw }: Holding): boolean => {
    const leastRaw = least.get(canonicalAsset);
    return leastRaw !== undefined && amountRaw >= leastRaw;
  };
  return {
    isInEarnest: (one) => !isLate(one) || one.given.some(isEnough),
    isPriced: canonicalAssets.every((canonicalAsset) => least.has(canonicalAsset)),
  };
};

/**
 * A hundredth of the traced value in each of these assets, in raw units. Assets without a price are missing.
 */
const findLeast = async (
  canonicalAssets: readonly CanonicalAsset[],
  search: Search,
  context: QueryContext,
): Promise<ReadonlyMap<CanonicalAsset, bigint>> => {
  const { chain } = search.request;
  const { moved } = search.anchor;
  const least = new Map(
    moved.map(({ canonicalAsset, amountRaw }) => [canonicalAsset, strayBelowRaw(amountRaw)]),
  );
  const [traced] = moved;
  const others = canonicalAssets.filter((canonicalAsset) => !least.has(canonicalAsset));
  if (traced === undefined || others.length === 0) return least;
  const [worth, ...prices] = await priceAssets([traced.canonicalAsset, ...others], search, context);
  const leastUsd = ((worth ?? Number.NaN) * wholeUnits(chain, traced)) / Number(STRAY_PARTS);
  for (const [index, canonicalAsset] of others.entries()) {
    const amount = leastUsd / (prices[index] ?? Number.NaN);
    if (Number.isFinite(amount))
      least.set(canonicalAsset, fromWholeUnits(amount, knownDecimals(chain, canonicalAsset) ?? 0));
  }
  return least;
};

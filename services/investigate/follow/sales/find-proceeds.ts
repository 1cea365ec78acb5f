import type { Address } from '../../model/address.ts';
import { abs } from '../../model/amount.ts';
import { isListed } from '../../model/asset.ts';
import type { Chain } from '../../model/chain.ts';
import type { TransactionRow } from '../../model/transfer-reader.ts';
import { directionOf } from '../direction.ts';
import { SALE_STEPS_MAX } from '../rules.ts';
import type { FollowedAsset, FoundTrail } from '../trail.ts';
import { findRecipients, type Settled } from './find-recipient.ts';
import { type Side, sumSides, whomItReached } from './sum-sides.ts';
import { mayBePaidFor, type Weigh, type Worth } from './weigh-amounts.ts';

/** What money was sold for, and who got it: the seller himself only where no swap of his own was found. */
export type Proceeds = { readonly address: Address; readonly asset: FollowedAsset; readonly gotRaw: bigint };

/** All rows of a transaction, in which one wallet paid another. */
export type PaidIn = {
  readonly payer: Address;
  readonly pool: Address;
  readonly rows: readonly TransactionRow[];
};

/**
 * What a pool paid for the money within the transaction of these rows, through as many pools as it was sold through there: to each
 * who got some, the main recipient first. Empty where it paid nothing else, or nothing worth a sale. A pool never sends a transaction: who does pays tips out of his own.
 * Anybody can make a token, and pay it to whom he likes, so that any other wallet seems to have sold the money for an innocent: one
 * that no list names needs a price, unless who sent the transaction got it himself. Backward, what it was paid.
 */
export const findProceeds = (
  { chain, asset, backward }: FoundTrail,
  { payer, pool, rows }: PaidIn,
  weigh: Weigh,
): readonly Proceeds[] => {
  const [first] = rows;
  if (first === undefined || first.sender === pool) return [];
  const direction = directionOf(backward);
  const sides = sumSides(rows, direction);
  const weighSide = ({ canonicalAsset, netRaw }: Pick<Side, 'canonicalAsset' | 'netRaw'>): Worth =>
    weigh({ canonicalAsset, timeUnixSeconds: first.blockTime, amountRaw: abs(netRaw) });
  const got = sides.find(
    ({ address, canonicalAsset }) => address === pool && canonicalAsset === asset.canonicalAsset,
  );
  const soldUsd = got === undefined ? null : weighSide(got).usd;
  const settled: Settled = {
    ...{ sides, payer, soldAsset: asset.canonicalAsset, usdOf: (side) => weighSide(side).usd },
    reachedFrom: ({ address: from, canonicalAsset }) =>
      whomItReached(rows, { from, canonicalAsset, direction }),
    isWellPriced: (canonicalAsset) => isListed(chain, canonicalAsset),
  };
  const sold = new Set([asset.canonicalAsset]);
  const sellers = new Set([pool]);
  let proceeds: readonly Proceeds[] = [];
  let isBelieved = true;
  for (let seller = pool; sold.size <= SALE_STEPS_MAX; ) {
    const paid = sides.filter(
      ({ address, canonicalAsset, netRaw }) => address === seller && !sold.has(canonicalAsset) && netRaw < 0n,
    );
    const largest = findLargest(chain, paid.map(weighSide), soldUsd);
    const payout = paid.find(({ canonicalAsset }) => canonicalAsset === largest?.canonicalAsset);
    const recipients = payout === undefined ? [] : findRecipients(settled, payout, sellers);
    const [recipient] = recipients;
    if (largest === null || recipient === undefined) return proceeds;
    sold.add(largest.canonicalAsset);
    sellers.add(recipient.address);
    seller = recipient.address;
    isBelieved &&= isListed(chain, largest.canonicalAsset) || seller === first.sender;
    if (mayBePaidFor(largest.usd, soldUsd, { isBelieved }))
      proceeds = recipients.map(({ address, netRaw }) => ({ asset: largest, address, gotRaw: netRaw }));
  }
  return proceeds;
};

/** Of what a pool paid what is worth most, and may have been paid for what was sold, or for what that leads to. */
const findLargest = (chain: Chain, paid: readonly Worth[], soldUsd: number | null): Worth | null => {
  const mayBeMadeUp = ({ canonicalAsset }: Worth): number => Number(!isListed(chain, canonicalAsset));
  const [largest] = paid
    .filter(({ usd }) => mayBePaidFor(usd, soldUsd, { isBelieved: true }))
    .toSorted((a, b) => (b.usd ?? -1) - (a.usd ?? -1) || mayBeMadeUp(a) - mayBeMadeUp(b));
  return largest ?? null;
};

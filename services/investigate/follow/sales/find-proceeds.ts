import type { Address } from '../../model/address.ts';
import { abs } from '../../model/amount.ts';
import { type CanonicalAsset, isListed } from '../../model/asset.ts';
import type { Chain } from '../../model/chain.ts';
import type { TransactionRow } from '../../model/transfer-reader.ts';
import type { FollowContext } from '../follow-context.ts';
import { MOVED_ON_MIN_PARTS, PARTS, PASSAGE_FEE_MAX_PARTS, SALE_STEPS_MAX } from '../rules.ts';
import type { FollowedAsset } from '../trail.ts';
import {
  isWorthAsMuch,
  mayBePaidFor,
  type Side,
  sumSides,
  type Weigh,
  type Worth,
  whomItReached,
} from './weigh-sides.ts';

/** What the money was sold for, and who got it. It is the seller only if no swap of the seller was found. */
export type Proceeds = { readonly address: Address; readonly asset: FollowedAsset; readonly gotRaw: bigint };

/** A transaction in which one wallet paid another, with all its rows. */
export type PaidIn = {
  readonly payer: Address;
  readonly pool: Address;
  readonly rows: readonly TransactionRow[];
};

/**
 * What a pool paid for the money within one transaction, through any number of pools: one entry per recipient, the main one first.
 * Empty if it paid no other asset, or nothing worth a sale. The sender of a transaction is never a pool; its payouts are tips. Anybody
 * can make a token and pay it to an innocent wallet so that the money seems sold for it, so an unlisted token needs a price, unless
 * the sender of the transaction got it. Backward, what the pool was paid.
 */
export const findProceeds = (
  { request: { chain }, asset, direction }: Pick<FollowContext, 'request' | 'asset' | 'direction'>,
  { payer, pool, rows }: PaidIn,
  weigh: Weigh,
): readonly Proceeds[] => {
  const [first] = rows;
  if (first === undefined || first.sender === pool) return [];
  const sides = sumSides(rows, direction);
  const weighSide = ({ canonicalAsset, netRaw }: Pick<Side, 'canonicalAsset' | 'netRaw'>): Worth =>
    weigh({ canonicalAsset, timeUnixSeconds: first.blockTime, amountRaw: abs(netRaw) });
  const soldAsset = asset.canonicalAsset;
  const got = sides.find(({ address, canonicalAsset }) => address === pool && canonicalAsset === soldAsset);
  const soldUsd = got === undefined ? null : weighSide(got).usd;
  const settled: Settled = { chain, sides, payer, soldAsset, usdOf: (side) => weighSide(side).usd };
  const sold = new Set([soldAsset]);
  const sellers = new Set([pool]);
  let proceeds: readonly Proceeds[] = [];
  let isBelieved = true;
  for (let seller = pool; sold.size <= SALE_STEPS_MAX; ) {
    const paid = sides.filter(
      ({ address, canonicalAsset, netRaw }) => address === seller && !sold.has(canonicalAsset) && netRaw < 0n,
    );
    const largest = findLargest(chain, paid.map(weighSide), soldUsd);
    const payout = paid.find(({ canonicalAsset }) => canonicalAsset === largest?.canonicalAsset);
    const reached = payout && whomItReached(rows, payout, direction);
    const recipients = payout && reached ? findRecipients(settled, payout, reached.difference(sellers)) : [];
    const [recipient] = recipients;
    if (largest === undefined || recipient === undefined) return proceeds;
    sold.add(largest.canonicalAsset);
    sellers.add(recipient.address);
    seller = recipient.address;
    isBelieved &&= isListed(chain, largest.canonicalAsset) || seller === first.sender;
    if (mayBePaidFor(largest.usd, soldUsd, { isBelieved }))
      proceeds = recipients.map(({ address, netRaw }) => ({ asset: largest, address, gotRaw: netRaw }));
  }
  return proceeds;
};

/** The most valuable payout of a pool that may be for what was sold, directly or through further pools. */
const findLargest = (chain: Chain, paid: readonly Worth[], soldUsd: number | null): Worth | undefined => {
  const mayBeMadeUp = ({ canonicalAsset }: Worth): number => Number(!isListed(chain, canonicalAsset));
  return paid
    .filter(({ usd }) => mayBePaidFor(usd, soldUsd, { isBelieved: true }))
    .sort((a, b) => (b.usd ?? -1) - (a.usd ?? -1) || mayBeMadeUp(a) - mayBeMadeUp(b))[0];
};

/** A transaction in which many may have traded at once, as when a solver settles orders. */
type Settled = {
  readonly chain: Chain;
  /** What each address got on balance. */
  readonly sides: readonly Side[];
  /** The payer of the followed money, and its asset. */
  readonly payer: Address;
  readonly soldAsset: CanonicalAsset;
  /** null where it is not known. */
  readonly usdOf: (side: Pick<Side, 'canonicalAsset' | 'netRaw'>) => number | null;
};

/**
 * The recipients of the proceeds of the payer's money, the main one first. Only addresses that the money may have `reached` count.
 * Others who put in the same asset have their own share of all payouts, and it is not part of these proceeds. The main recipient got
 * the amount nearest to the payer's due, if that is worth about as much as was sold; somebody who got many times that traded something
 * else. If nobody fits, it is whoever got most. Then follow recipients who put in nothing, until everything due is paid.
 */
const findRecipients = (
  settled: Settled,
  { canonicalAsset, netRaw: payoutRaw }: Side,
  reached: ReadonlySet<Address>,
): readonly Side[] => {
  const { sides, payer, soldAsset } = settled;
  const partOf = partsOf(sides, { soldAsset, canonicalAsset });
  const got = sides
    .filter((side) => side.canonicalAsset === canonicalAsset && reached.has(side.address))
    .map((side) => (side.address === payer ? side : { ...side, netRaw: side.netRaw - partOf(side.address) }))
    .filter(({ netRaw }) => netRaw > 0n)
    .sort((a, b) => (a.netRaw < b.netRaw ? 1 : -1));
  const partRaw = partOf(payer);
  const dueRaw = partRaw > 0n && partRaw < -payoutRaw ? partRaw : -payoutRaw;
  const main = findMain(settled, got, dueRaw);
  return main === undefined ? [] : [main, ...findOthers(settled, { got, main, dueRaw: partRaw || dueRaw })];
};

const findMain = (
  { chain, sides, payer, soldAsset, usdOf }: Settled,
  got: readonly Side[],
  dueRaw: bigint,
): Side | undefined => {
  const sold = sides.find(
    ({ address, canonicalAsset, netRaw }) => address === payer && canonicalAsset === soldAsset && netRaw < 0n,
  );
  const soldUsd = sold === undefined ? null : usdOf(sold);
  const compared = got.map((side) => {
    const usd = usdOf(side);
    const [raw, due] = [Number(side.netRaw), Number(dueRaw)];
    const [is, of] = usd === null || soldUsd === null ? [raw, due] : [usd, soldUsd];
    // Many traded at the prices of listed assets.
    const byWorth = isListed(chain, side.canonicalAsset) && isListed(chain, soldAsset);
    return { side, fits: isWorthAsMuch(is, of), apart: byWorth ? apart(is, of) : apart(raw, due) };
  });
  const [nearest] = compared.filter(({ fits }) => fits).sort((a, b) => a.apart - b.apart);
  return nearest?.side ?? got[0];
};

/** The ratio of the larger to the smaller, at least 1. */
const apart = (a: number, b: number): number => Math.max(a / b, b / a);

/** An address that gave another asset may have been paid for that one: a pool on the way, or another trader. */
const findOthers = (
  { sides }: Settled,
  { got, main, dueRaw }: { readonly got: readonly Side[]; readonly main: Side; readonly dueRaw: bigint },
): readonly Side[] => {
  const givers = new Set(sides.filter(({ netRaw }) => netRaw < 0n).map(({ address }) => address));
  let paidRaw = main.netRaw;
  return got.filter((side) => {
    const isPart = side.netRaw * PARTS >= dueRaw * MOVED_ON_MIN_PARTS;
    const isDue = (paidRaw + side.netRaw) * PARTS <= dueRaw * (PARTS + PASSAGE_FEE_MAX_PARTS);
    if (side === main || givers.has(side.address) || !isPart || !isDue) return false;
    paidRaw += side.netRaw;
    return true;
  });
};

/** The share of all payouts that an address is due for what it put in. */
const partsOf = (
  sides: readonly Side[],
  { soldAsset, canonicalAsset }: Pick<Settled, 'soldAsset'> & Pick<Side, 'canonicalAsset'>,
): ((address: Address) => bigint) => {
  const given = sides.filter((side) => side.canonicalAsset === soldAsset && side.netRaw < 0n);
  const gave = new Map(given.map(({ address, netRaw }) => [address, netRaw]));
  const givenRaw = sumOf(given);
  const paidRaw = -sumOf(sides.filter((side) => side.canonicalAsset === canonicalAsset && side.netRaw < 0n));
  return (address) => (givenRaw === 0n ? 0n : (paidRaw * (gave.get(address) ?? 0n)) / givenRaw);
};

const sumOf = (sides: readonly Side[]): bigint => sides.reduce((sum, { netRaw }) => sum + netRaw, 0n);

import type { Address } from '../model/address.ts';
import { isBurnAddress } from '../model/burn-address.ts';
import type { Chain } from '../model/chain.ts';
import { type Label, passingKind } from '../model/label.ts';
import { isOnCurve } from '../model/on-curve.ts';
import type { Holders } from '../model/token-reader.ts';
import type { TransactionPosition } from '../model/transfer-reader.ts';
import { type Buy, findGifts } from './find-launch.ts';
import type { InsidersRequest } from './insiders-report.ts';
import type { ReadLaunch } from './read-launch.ts';
import { BUYERS_MAX, GIFTS_MAX, HOLDERS_MAX } from './rules.ts';

export type Gift = {
  readonly to: Address;
  readonly from: Address | null;
  readonly at: TransactionPosition & { readonly hash: string };
};

/** Wallets that may be insiders, and what each of them did. */
export type Candidates = {
  readonly creator: Address;
  /** In order; only those within the window. */
  readonly buys: readonly Buy[];
  readonly gifts: readonly Gift[];
  /**
   * Number of wallets that one sender gave the token in a large airdrop. The airdrop alone makes them no
   * candidates.
   */
  readonly airdropped: number;
  readonly holders: readonly Address[];
  /** Each once. */
  readonly wallets: readonly Address[];
  readonly earlyBuyers: number;
};

/**
 * Gathers the candidates. A pool, a program or a service may hold the token and pass it on, so it is never an
 * insider.
 */
export const gatherCandidates = (
  { chain, token, windowSeconds }: InsidersRequest,
  { at: launch, venue, buys, transactions }: ReadLaunch,
  holders: Holders | null,
  creator: Address,
): Candidates => {
  const end = launch.blockTime + windowSeconds;
  const venues = new Set(buys.map((buy) => buy.venue));
  const senders = new Set(transactions.map(({ sender }) => sender));
  const isPerson = (address: Address): boolean =>
    !venues.has(address) &&
    address !== venue &&
    address !== token &&
    (senders.has(address) || mayHaveKey(chain, address));
  const early = buys.filter(({ at, buyer }) => at.blockTime <= end && isPerson(buyer));
  const given = transactions
    .filter(({ blockTime }) => blockTime <= end)
    .flatMap((each) => findGifts(each, token, new Set([creator])))
    .filter(({ to }) => to !== creator && isPerson(to));
  const byHand = [...Map.groupBy(given, ({ from }) => from).values()];
  const gifts = byHand.filter((own) => !isAirdrop(own)).flat();
  const airdropped = byHand.filter(isAirdrop).reduce((sum, own) => sum + countTakers(own), 0);
  const top = (holders?.top ?? [])
    .map(({ address }) => address)
    .filter(isPerson)
    .slice(0, HOLDERS_MAX);
  const buyers = [...new Set(early.map(({ buyer }) => buyer))];
  const kept = new Set(buyers.slice(0, BUYERS_MAX));
  return {
    creator,
    buys: early.filter(({ buyer }) => kept.has(buyer)),
    gifts,
    airdropped,
    holders: top,
    wallets: [...new Set([creator, ...kept, ...gifts.map(({ to }) => to), ...top])],
    earlyBuyers: buyers.length,
  };
};

/** `gifts` are of one sender. */
const isAirdrop = (gifts: readonly Gift[]): boolean => countTakers(gifts) > GIFTS_MAX;
const countTakers = (gifts: readonly Gift[]): number => new Set(gifts.map(({ to }) => to)).size;

/** Whether an address that sent no transaction may still be a person's wallet. */
const mayHaveKey = (chain: Chain, address: Address): boolean =>
  !isBurnAddress(chain, address) && (chain.family === 'evm' || isOnCurve(address));

/** Drops candidates whose label turns out to be a service. */
export const withoutServices = (candidates: Candidates, labels: ReadonlyMap<Address, Label>): Candidates => {
  const isOwn = (address: Address): boolean => {
    const label = labels.get(address);
    return label === undefined || passingKind(label) === null;
  };
  return {
    ...candidates,
    buys: candidates.buys.filter(({ buyer }) => isOwn(buyer)),
    gifts: candidates.gifts.filter(({ to }) => isOwn(to)),
    holders: candidates.holders.filter(isOwn),
    wallets: candidates.wallets.filter(isOwn),
  };
};

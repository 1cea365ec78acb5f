import type { Address } from '../model/address.ts';
import { most } from '../model/amount.ts';
import type { Asset } from '../model/asset.ts';
import type { PlacedMovement } from '../model/case-reader.ts';
import { NATIVE } from '../model/movement.ts';
import { isOnCurve } from '../model/on-curve.ts';
import { type Flows, netOf, sumFlows } from '../model/sum-flows.ts';
import { type TransactionPosition, transactionKey } from '../model/transfer-reader.ts';

/** One transaction that named the token. */
export type TokenTransaction = TransactionPosition & {
  readonly hash: string;
  readonly sender: Address;
  readonly rows: readonly PlacedMovement[];
  readonly flows: Flows;
};

/** Somebody who had more of the token afterwards and paid for it, or for whom somebody else paid. */
export type Buy = {
  readonly buyer: Address;
  /** Who else paid for it, or for the transaction. */
  readonly payer: Address | null;
  readonly amountRaw: bigint;
  /** Who had less of it and got what was paid. */
  readonly venue: Address;
  readonly at: TokenTransaction;
};

export type FoundLaunch = {
  readonly at: TokenTransaction;
  readonly venue: Address | null;
  readonly isIssuedToVenue: boolean;
  /** In order, those of the launch transaction included. */
  readonly buys: readonly Buy[];
};

export const toTokenTransactions = (rows: readonly PlacedMovement[]): TokenTransaction[] =>
  [...Map.groupBy(rows, transactionKey).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { hash, sender, blockTime, blockNumber, txIndex } = first;
    return [{ hash, sender, blockTime, blockNumber, txIndex, rows: own, flows: sumFlows(own) }];
  });

/**
 * A token is launched when it can first be bought: by the transaction that gave the first seller what it sold, a launchpad's
 * create or a pool's first liquidity (MemeTrans, arXiv 2602.13480). Where nobody bought yet, by the first that named it.
 */
export const findLaunch = (
  transactions: readonly TokenTransaction[],
  token: Asset,
  creator: Address | null,
): FoundLaunch | null => {
  const [first] = transactions;
  if (first === undefined) return null;
  const buys = findAllBuys(transactions, token, creator);
  const venue = buys[0]?.venue ?? null;
  if (venue === null) return { at: first, venue, isIssuedToVenue: false, buys };
  const opened = transactions.find((each) => (each.flows.received.get(`${venue} ${token}`) ?? 0n) > 0n);
  const issued = transactions.find(({ rows }) => issuedTo(rows, token, venue));
  const at = issued ?? opened ?? buys[0]?.at ?? first;
  return { at, venue, isIssuedToVenue: issued !== undefined, buys };
};

const issuedTo = (rows: readonly PlacedMovement[], token: Asset, venue: Address): boolean =>
  rows.some(({ kind, to, canonicalAsset }) => kind === 'mint' && to === venue && canonicalAsset === token);

/**
 * A sale looks like a buy by the pool. So whoever bought before, or sends the transaction itself, sells what it had, and is no
 * venue; neither is the creator, whose buyers are told by what it gave them.
 */
const findAllBuys = (
  transactions: readonly TokenTransaction[],
  token: Asset,
  creator: Address | null,
): Buy[] => {
  const bought = new Set<Address>(creator === null ? [] : [creator]);
  return transactions.flatMap((at) => {
    const buys = findBuys(at, token, (address) => !bought.has(address) && address !== at.sender);
    for (const { buyer } of buys) bought.add(buyer);
    return buys;
  });
};

const findBuys = (at: TokenTransaction, token: Asset, mayBeVenue: (address: Address) => boolean): Buy[] => {
  const { flows } = at;
  const seller = [...flows.nets]
    .filter(([address, nets]) => mayBeVenue(address) && (nets.get(token) ?? 0n) < 0n && gains(nets, token))
    .sort((a, b) => ((a[1].get(token) ?? 0n) < (b[1].get(token) ?? 0n) ? -1 : 1))[0];
  const venue = seller?.[0] ?? soldFromIssue(at, token);
  if (venue === null) return [];
  const got = [...flows.nets]
    .map(([buyer, nets]) => ({ buyer, amountRaw: nets.get(token) ?? 0n, paid: paysFor(nets, token) }))
    .filter(({ buyer, amountRaw }) => amountRaw > 0n && buyer !== venue);
  const mostRaw = got.reduce((largest, { amountRaw }) => most(largest, amountRaw), 0n);
  const buyers = got.filter(
    ({ buyer, amountRaw, paid }) =>
      paid || (amountRaw * SIDE_PARTS >= mostRaw && comesFrom(venue, at, token, buyer)),
  );
  const names = new Set(buyers.map(({ buyer }) => buyer));
  const tipper = [...flows.nets].find(
    ([address, nets]) => !names.has(address) && address !== venue && onlyPays(nets) && isOnCurve(address),
  );
  return buyers.map(({ buyer, amountRaw }) => ({
    buyer,
    amountRaw,
    venue,
    at,
    payer: at.sender === buyer ? (tipper?.[0] ?? null) : at.sender,
  }));
};

/** What a buy has beside it is smaller: taxes of tokens, and what a router keeps. */
const SIDE_PARTS = 4n;

/** From the venue, or through contracts that kept none of it: not from a wallet that gave it away. */
const comesFrom = (venue: Address, { flows }: TokenTransaction, token: Asset, buyer: Address): boolean =>
  [...(flows.payers.get(`${buyer} ${token}`) ?? [])].every(
    (payer) => payer === venue || netOf(flows, payer, token) === 0n,
  );

/** On Solana somebody else may tip for the transaction. A pool gains something, too. */
const onlyPays = (nets: ReadonlyMap<string, bigint>): boolean =>
  [...nets.values()].every((raw) => raw <= 0n) && (nets.get(NATIVE) ?? 0n) < 0n;

/** In the transaction that issues the token the seller has more of it afterwards: it sold a part of what it was given. */
const soldFromIssue = ({ rows, flows }: TokenTransaction, token: Asset): Address | null => {
  const issued = rows.flatMap(({ kind, to, canonicalAsset }) =>
    kind === 'mint' && canonicalAsset === token && to !== null ? [to] : [],
  );
  const seller = issued.find(
    (address) =>
      rows.some(
        ({ from, canonicalAsset, kind }) => from === address && canonicalAsset === token && kind !== 'mint',
      ) && gains(flows.nets.get(address) ?? new Map(), token),
  );
  return seller ?? null;
};

const gains = (nets: ReadonlyMap<string, bigint>, token: Asset): boolean =>
  [...nets].some(([canonicalAsset, raw]) => canonicalAsset !== token && raw > 0n);
const paysFor = (nets: ReadonlyMap<string, bigint>, token: Asset): boolean =>
  [...nets].some(([canonicalAsset, raw]) => canonicalAsset !== token && raw < 0n);

/** Who got the token from a wallet, or had it issued, and paid nothing in that transaction. */
export const findGifts = (
  { rows, flows, ...at }: TokenTransaction,
  token: Asset,
  givers: ReadonlySet<Address>,
): {
  readonly to: Address;
  readonly from: Address | null;
  readonly at: TransactionPosition & { hash: string };
}[] =>
  rows.flatMap(({ kind, from, to, canonicalAsset, amountRaw }) => {
    if (canonicalAsset !== token || to === null || amountRaw === 0n) return [];
    const isGiven = kind === 'mint' || (from !== null && givers.has(from));
    const isPaid = paysFor(flows.nets.get(to) ?? new Map(), token);
    const keeps = netOf(flows, to, token) > 0n;
    return isGiven && keeps && !isPaid ? [{ to, from, at }] : [];
  });

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

/** A wallet that had more of the token afterwards, and paid for it itself or through somebody else. */
export type Buy = {
  readonly buyer: Address;
  /** Who paid for it, or for the transaction, when that is another address. */
  readonly payer: Address | null;
  readonly amountRaw: bigint;
  /** Who had less of the token and received the payment. */
  readonly venue: Address;
  readonly at: TokenTransaction;
};

export type FoundLaunch = {
  readonly at: TokenTransaction;
  readonly venue: Address | null;
  readonly isIssuedToVenue: boolean;
  /** In order, including those of the launch transaction. */
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
 * A token's launch is the transaction that first made it available to buyers: the one that gave the first
 * seller its stock, such as a launchpad's create or a pool's first liquidity (MemeTrans, arXiv 2602.13480).
 * Without any buyer, it is the first transaction that named the token.
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
 * A sale looks like a purchase by the pool. So an address that bought before, or that sends the transaction
 * itself, sells its own stock and is no venue. The creator is no venue either: wallets it supplies are found
 * as gifts.
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

/** Other outflows of a buy are smaller, for example token taxes and router fees. */
const SIDE_PARTS = 4n;

/**
 * The tokens came from the venue directly, or through contracts that kept none of them. They did not come
 * from a wallet that gave them away.
 */
const comesFrom = (venue: Address, { flows }: TokenTransaction, token: Asset, buyer: Address): boolean =>
  [...(flows.payers.get(`${buyer} ${token}`) ?? [])].every(
    (payer) => payer === venue || netOf(flows, payer, token) === 0n,
  );

/** On Solana somebody else may pay the transaction's tip. A pool gains from a sale, too. */
const onlyPays = (nets: ReadonlyMap<string, bigint>): boolean =>
  [...nets.values()].every((raw) => raw <= 0n) && (nets.get(NATIVE) ?? 0n) < 0n;

/**
 * In the transaction that issues the token the seller ends with more of it, because it sold only a part of
 * what it received.
 */
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

/**
 * Wallets that received the token from another wallet, or by issuance, and paid nothing in that transaction.
 */
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

import type { Address } from '../../model/address.ts';
import { larger, largestFirst, sumOf } from '../../model/amount.ts';
import { isListed, isUnverifiedToken } from '../../model/asset.ts';
import { isService } from '../../model/label.ts';
import type { Moment } from '../../model/price-reader.ts';
import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import { pickCarriers } from '../details/read-details.ts';
import { type FollowContext, readLabels } from '../follow-context.ts';
import type { FollowReads } from '../follow-reader.ts';
import { largestOf, nameBranches, toBranches } from '../name-branches.ts';
import { groupDestinations, isMain, type WalletDestination } from '../payments/group-destinations.ts';
import type { Inflow, Outflow } from '../payments/inflow.ts';
import { type ReadTransactions, readTransactions } from '../read-transactions.ts';
import { SALE_ASSETS_MAX, SALE_MOMENTS_MAX, WAYS_MAX } from '../rules.ts';
import type { FoundBranch, FoundEnd, FoundHop } from '../trail.ts';
import type { Got } from '../why.ts';
import { findProceeds, type PaidIn, type Proceeds } from './find-proceeds.ts';
import { readWeights } from './weigh-sides.ts';

/** A hop that was a sale: there the trail ends. */
export type Sale = { readonly hop: FoundHop; readonly end: FoundEnd };

/**
 * The first of these hops of which most was sold: its recipient paid another asset in the same transactions, and what leaves the
 * recipient later is somebody else's. Backward, the money was bought in that way.
 */
export const findSale = async (
  context: FollowContext,
  all: readonly FoundHop[],
  reads: FollowReads,
): Promise<Sale | null> => {
  // A service pays out other customers' money.
  const hops = all.filter(({ toLabel }) => !isService(toLabel));
  const { rows } = await readTransactions(context.request.chain, hops.flatMap(pickCarriers), reads);
  const [first] = await tellSales(context, { hops, rows, reads });
  if (first === undefined) return null;
  const end = endWithSales([first], first.hop.others);
  return end && { hop: first.hop, end };
};

/**
 * For a wallet without a main recipient: all its sales, through any number of pools, count as one, like its own swaps. null if they
 * are not most of what left. Its transactions were already read, except those of unverified tokens.
 */
export const findSales = async (
  context: FollowContext,
  wallet: Address,
  outflows: readonly Outflow[],
): Promise<FoundEnd | null> => {
  const isMost = (sold: readonly { readonly hop: Paid }[]): boolean =>
    isMain({ amountRaw: sumOf(sold.map(({ hop }) => hop)) }, sumOf(outflows));
  const sold = await findSold(context, wallet, outflows, isMost);
  if (!isMost(sold)) return null;
  const pools = new Set(sold.map(({ hop }) => hop.to));
  const rest = outflows.filter((paid) => paid.type === 'swap' || !pools.has(paid.to));
  const others = toBranches(context.request.chain, wallet, groupDestinations(rest, context.direction));
  return endWithSales(sold, await nameBranches(context, largestOf(others)));
};

/** The recipients of which most was sold; none if that is of no use. A service pays out other customers' money. */
export const findSold = async (
  context: FollowContext,
  wallet: Address,
  outflows: readonly Outflow[],
  isOfUse: (sold: readonly Sold[]) => boolean = (sold) => sold.length > 0,
): Promise<readonly Sold[]> => {
  const { request, direction, asset, reads } = context;
  if (isUnverifiedToken(request.chain, asset.canonicalAsset)) return [];
  const transfers = outflows.filter(({ type }) => type === 'transfer').toSorted(largestFirst);
  const payments = transfers.slice(0, WAYS_MAX).sort(direction.compare);
  const { rows } = await readTransactions(request.chain, payments, reads);
  const hops = groupDestinations(payments, direction).flatMap((to) =>
    to.type === 'wallet' ? [toPaid(wallet, to)] : [],
  );
  const told = await tellSales(context, { hops, rows, reads });
  if (!isOfUse(told)) return [];
  const labels = await readLabels(
    context,
    told.map(({ hop }) => hop.to),
  );
  return told
    .map(({ hop, ...rest }) => ({ ...rest, hop: { ...hop, toLabel: labels.get(hop.to) ?? null } }))
    .filter(({ hop }) => !isService(hop.toLabel));
};

/** What was paid to one wallet. */
type Paid = Pick<FoundHop, 'from' | 'to' | 'toLabel' | 'carriers' | 'amountRaw' | 'sinceUnixSeconds'>;

const toPaid = (from: Address, { address: to, amountRaw, carriers, first }: WalletDestination): Paid => ({
  ...{ from, to, toLabel: null, amountRaw, carriers, sinceUnixSeconds: first.blockTime },
});

type Asked<Hop> = {
  readonly hops: readonly Hop[];
  readonly rows: ReadTransactions['rows'];
  readonly reads: FollowReads;
};
type Sold<Hop = Paid> = { readonly hop: Hop; readonly told: readonly Told[] };

/** The hops of which at least half was sold, judged by their largest payments. Unread transactions do not count. */
const tellSales = async <Hop extends Paid>(
  context: FollowContext,
  { hops, rows, reads }: Asked<Hop>,
): Promise<readonly Sold<Hop>[]> => {
  const paying = hops.map((hop) => ({ hop, payments: payingIn(hop, rows) }));
  const moments = paying.flatMap(({ payments }) => payments.map((payment) => momentsOf(context, payment)));
  const { chain } = context.request;
  const weigh = await readWeights(chain, takeEvenly(moments, SALE_MOMENTS_MAX), reads);
  return paying.flatMap(({ hop, payments }) => {
    const told = payments
      .flatMap((payment) => shareOut(payment.carrier, findProceeds(context, payment, weigh)))
      .sort((a, b) => context.direction.compare(a.carrier, b.carrier));
    const soldRaw = sumOf(told.flatMap(({ carrier, proceeds }) => (proceeds === null ? [] : [carrier])));
    const isSale = soldRaw > 0n && isMain({ amountRaw: soldRaw }, sumOf(pickCarriers(hop)));
    return isSale ? [{ hop, told }] : [];
  });
};

/** One transaction of a hop, with all its rows. */
type Payment = PaidIn & { readonly carrier: Inflow };

const payingIn = (hop: Paid, byTransaction: ReadTransactions['rows']): readonly Payment[] =>
  pickCarriers(hop).flatMap((carrier) => {
    const rows = byTransaction.get(transactionKey(carrier));
    return rows === undefined ? [] : [{ payer: hop.from, pool: hop.to, carrier, rows }];
  });

/** Most hops were no sale, and need no price. */
const momentsOf = (
  { request: { chain }, asset: { canonicalAsset: followed }, direction }: FollowContext,
  { pool, carrier, rows }: Payment,
): Moment[] => {
  const isPaid = (row: TransactionRow): boolean =>
    row.canonicalAsset !== followed && pool === direction.payerOf(row);
  if (!rows.some(isPaid)) return [];
  const canonicalAssets = [...new Set([followed, ...rows.map(({ canonicalAsset }) => canonicalAsset)])];
  const mayBeMadeUp = (canonicalAsset: string): number => Number(!isListed(chain, canonicalAsset));
  return canonicalAssets
    .sort((a, b) => mayBeMadeUp(a) - mayBeMadeUp(b))
    .slice(0, SALE_ASSETS_MAX)
    .map((canonicalAsset) => ({ canonicalAsset, timeUnixSeconds: carrier.blockTime }));
};

/** Divides what was paid in by each recipient's part of the proceeds. The first gets the remainder. */
const shareOut = (carrier: Inflow, proceeds: readonly Proceeds[]): readonly Told[] => {
  const [first, ...others] = proceeds;
  if (first === undefined) return [{ carrier, proceeds: null }];
  const gotRaw = proceeds.reduce((sum, got) => sum + got.gotRaw, 0n);
  const shares = others.map((got) => ({
    carrier: { ...carrier, amountRaw: (carrier.amountRaw * got.gotRaw) / gotRaw },
    proceeds: got,
  }));
  const ownRaw = carrier.amountRaw - sumOf(shares.map((share) => share.carrier));
  return [{ carrier: { ...carrier, amountRaw: ownRaw }, proceeds: first }, ...shares];
};

/** Takes the first of each list, then the second of each, up to `most`, so that a long list does not crowd out short ones. */
export const takeEvenly = <T>(lists: readonly (readonly T[])[], most: number): T[] => {
  const taken: T[] = [];
  let left = lists;
  for (let at = 0; left.length > 0 && taken.length < most; at += 1) {
    left = left.filter((list) => at < list.length);
    for (const list of left) taken.push(...list.slice(at, at + 1));
  }
  return taken.slice(0, most);
};

/** One transaction of a hop, and what was got for the money there; null: it was not sold. */
export type Told = { readonly carrier: Inflow; readonly proceeds: Proceeds | null };

type SoldBranch = FoundBranch & { readonly output: Got };

/**
 * The end of a trail by sales. Its address got most of the proceeds. Other recipients, other assets and what was not sold are its
 * branches. null if there is no sale. `sales` are in the trail's order.
 */
const endWithSales = (sales: readonly Sold[], others: readonly FoundBranch[]): FoundEnd | null => {
  const branches = sales.flatMap(toSoldBranches);
  const sold = branches.filter(isSold).sort(largestFirst);
  const unsold = branches.filter((branch) => !isSold(branch));
  const [main, ...otherProceeds] = sold;
  if (main === undefined) return null;
  const hops = sales.map(({ hop }) => hop);
  const amountRaw = sumOf(hops);
  const count = sales.reduce((sum, { told }) => sum + countLooked(told), 0);
  const all = hops.reduce((sum, { carriers }) => sum + carriers.length, 0);
  const { recipient: address, ...output } = main.output;
  const through = hops.map(({ to }) => to);
  return {
    reason: 'dex_swap',
    address,
    why: { type: 'sold', from: main.from, through, amountRaw: sumOf(sold), streams: sold },
    caveats: count < all ? [{ type: 'sales_looked_at', count, all, amountRaw }] : [],
    output,
    mainTransfer: main.mainTransfer,
    timeUnixSeconds: main.sinceUnixSeconds,
    others: largestOf([...others, ...otherProceeds, ...unsold]),
  };
};

const countLooked = (told: readonly Told[]): number =>
  new Set(told.map(({ carrier }) => transactionKey(carrier))).size;

const isSold = (branch: FoundBranch): branch is SoldBranch => branch.output !== null;

const keyOf = ({ proceeds }: Told): string | null =>
  proceeds && `${proceeds.asset.canonicalAsset} ${proceeds.address}`;

/** One branch per asset and recipient of the proceeds, and one for what was not sold there. */
const toSoldBranches = ({ hop, told }: Sold): readonly FoundBranch[] => {
  const { from, to, toLabel } = hop;
  const isPart = countLooked(told) < hop.carriers.length;
  return [...Map.groupBy(told, keyOf).values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const carriers = all.map(({ carrier }) => carrier);
    const gotRaw = all.reduce((sum, { proceeds }) => sum + (proceeds?.gotRaw ?? 0n), 0n);
    // An unread payment may be an earlier sale, and more may have been got than is known.
    const isUnsure = isPart && first.proceeds !== null;
    const sinceUnixSeconds = isUnsure ? hop.sinceUnixSeconds : first.carrier.blockTime;
    const output = first.proceeds && toGot(first.proceeds, isUnsure ? null : gotRaw);
    const mainTransfer = carriers.reduce(larger);
    return [{ from, to, toLabel, amountRaw: sumOf(carriers), mainTransfer, sinceUnixSeconds, output }];
  });
};

const toGot = ({ address: recipient, asset }: Proceeds, amountRaw: bigint | null): Got => {
  const { canonicalAsset, symbol, decimals } = asset;
  return { asset: canonicalAsset, symbol, decimals, amountRaw, usd: null, recipient };
};

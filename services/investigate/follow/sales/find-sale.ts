import { larger, largestFirst, sumOf } from '../../model/amount.ts';
import { isListed } from '../../model/asset.ts';
import type { Moment } from '../../model/price-reader.ts';
import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import { pickCarriers } from '../details/read-details.ts';
import type { FollowContext } from '../follow-context.ts';
import type { BudgetedRead } from '../follow-reader.ts';
import { largestOf } from '../name-branches.ts';
import type { Inflow } from '../payments/inflow.ts';
import { type ReadTransactions, readTransactions } from '../read-transactions.ts';
import { MAJORITY_PARTS, PARTS, SALE_ASSETS_MAX, SALE_MOMENTS_MAX } from '../rules.ts';
import type { FoundBranch, FoundEnd, FoundHop } from '../trail.ts';
import type { Got } from '../why.ts';
import { findProceeds, type PaidIn, type Proceeds } from './find-proceeds.ts';
import { readWeights, type Weigh } from './weigh-sides.ts';

/** A hop that was a sale: there the trail ends. */
export type Sale = { readonly hop: FoundHop; readonly end: FoundEnd };

/**
 * The first of these hops of which most was sold: whom it reached paid another asset in the very transactions that brought the
 * money, and what leaves there later is somebody else's. Backward, the money was got in that way.
 */
export const findSale = async (
  context: FollowContext,
  hops: readonly FoundHop[],
  read: BudgetedRead,
): Promise<Sale | null> => {
  const { chain } = context.request;
  const { rows } = await readTransactions(chain, hops.flatMap(pickCarriers), read);
  const payments = hops.map((hop) => payingIn(hop, rows));
  const moments = takeEvenly(
    payments.flat().map((payment) => momentsOf(context, payment)),
    SALE_MOMENTS_MAX,
  );
  const weigh = await readWeights(chain, moments, read);
  for (const [at, hop] of hops.entries()) {
    const told = tellSale(context, { hop, payments: payments[at] ?? [], weigh });
    const end = told && endWithSale(hop, told);
    if (end !== null) return { hop, end };
  }
  return null;
};

/** One transaction of a hop, with all its rows. */
type Payment = PaidIn & { readonly carrier: Inflow };

const payingIn = (hop: FoundHop, byTransaction: ReadTransactions['rows']): readonly Payment[] =>
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

type Reading = { readonly hop: FoundHop; readonly payments: readonly Payment[]; readonly weigh: Weigh };

/** null where less than half of the money was sold, as far as the largest payments tell: of one that could not be read nobody knows. */
const tellSale = (context: FollowContext, { hop, payments, weigh }: Reading): readonly Told[] | null => {
  const told = payments
    .flatMap((payment) => shareOut(payment.carrier, findProceeds(context, payment, weigh)))
    .sort((a, b) => context.direction.compare(a.carrier, b.carrier));
  const soldRaw = sumOf(told.flatMap(({ carrier, proceeds }) => (proceeds === null ? [] : [carrier])));
  const isSale = soldRaw > 0n && soldRaw * PARTS >= sumOf(pickCarriers(hop)) * MAJORITY_PARTS;
  return isSale ? told : null;
};

/** What was paid in stands for what each got of the proceeds; the first for what does not come out even. */
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

/** The first of each list, then the second of each, until there are so many: a long list leaves out nothing of the short ones. */
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
 * Of transactions of the hop, in the trail's order. It ends with who got most of the proceeds; whoever else got some, or another
 * asset, and what was not sold stand beside that. null where none of them is a sale.
 */
const endWithSale = (hop: FoundHop, told: readonly Told[]): FoundEnd | null => {
  const looked = new Set(told.map(({ carrier }) => transactionKey(carrier))).size;
  const all = hop.carriers.length;
  const branches = [...Map.groupBy(told, keyOf).values()].flatMap((of) => toBranch(hop, of));
  const sold = branches
    .filter(isSold)
    .map((branch) => (looked < all ? toldInPart(hop, branch) : branch))
    .sort(largestFirst);
  const unsold = branches.filter((branch) => !isSold(branch));
  const [main, ...besides] = sold;
  if (main === undefined) return null;
  const soldRaw =
    looked < all ? sumOf(sold) : unsold.reduce((left, { amountRaw }) => left - amountRaw, hop.amountRaw);
  const { recipient: address, ...output } = main.output;
  return {
    reason: 'dex_swap',
    address,
    why: { type: 'sold', from: hop.from, to: hop.to, amountRaw: soldRaw, streams: sold },
    caveats: looked < all ? [{ type: 'sales_looked_at', count: looked, all, amountRaw: hop.amountRaw }] : [],
    output,
    mainTransfer: main.mainTransfer,
    timeUnixSeconds: main.sinceUnixSeconds,
    others: largestOf([...hop.others, ...besides, ...unsold]),
  };
};

/** Of what was not looked at an earlier payment may be a sale too, and more was got than is known. */
const toldInPart = ({ sinceUnixSeconds }: FoundHop, branch: SoldBranch): SoldBranch => ({
  ...branch,
  sinceUnixSeconds,
  output: { ...branch.output, amountRaw: null },
});

const isSold = (branch: FoundBranch): branch is SoldBranch => branch.output !== null;

const keyOf = ({ proceeds }: Told): string | null =>
  proceeds && `${proceeds.asset.canonicalAsset} ${proceeds.address}`;

/** What was paid to the same wallet for one asset that one recipient got, or was not sold there. */
const toBranch = ({ from, to, toLabel }: FoundHop, [first, ...rest]: readonly Told[]): FoundBranch[] => {
  if (first === undefined) return [];
  const all = [first, ...rest];
  const carriers = all.map(({ carrier }) => carrier);
  const gotRaw = all.reduce((sum, { proceeds }) => sum + (proceeds?.gotRaw ?? 0n), 0n);
  return [
    {
      ...{ from, to, toLabel, amountRaw: sumOf(carriers) },
      mainTransfer: carriers.reduce(larger),
      sinceUnixSeconds: first.carrier.blockTime,
      output: first.proceeds && toGot(first.proceeds, gotRaw),
    },
  ];
};

const toGot = (
  { address: recipient, asset: { canonicalAsset, symbol, decimals } }: Proceeds,
  amountRaw: bigint,
): Got => ({ ...{ asset: canonicalAsset, symbol, decimals, amountRaw, usd: null }, recipient });

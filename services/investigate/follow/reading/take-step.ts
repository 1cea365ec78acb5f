import type { Address } from '../../model/address.ts';
import { sumOf } from '../../model/amount.ts';
import { isUnverifiedToken } from '../../model/asset.ts';
import { type FlowPage, transactionKey, type WalletSpan } from '../../model/transfer-reader.ts';
import { unlessUnread } from '../../session/left-out.ts';
import {
  decideHop,
  type Ended,
  endUnread,
  type Onward,
  type Outcome,
  see,
  straightOn,
  type UnreadPlace,
} from '../decide-hop.ts';
import { END_OF_TIME } from '../find-asset.ts';
import type { FollowContext, FollowedWallet } from '../follow-context.ts';
import type { FollowReads } from '../follow-reader.ts';
import { allocateAll, createFifoAllocator } from '../payments/allocate-outflows.ts';
import { createPayments } from '../payments/create-payments.ts';
import { startOf, toAllocation } from '../payments/gather-outflows.ts';
import { closeTransactions, openPages } from '../payments/read-pages.ts';
import { MAJORITY_PARTS, PARTS } from '../rules.ts';
import { findSale, type Sale } from '../sales/find-sale.ts';
import type { FoundHop } from '../trail.ts';

/** A correction of earlier steps: a wallet swapped and must be decided again, or a hop was a sale. */
export type Corrected =
  | { readonly type: 'swapped'; readonly at: number }
  | ({ readonly type: 'sold' } & Sale);

type Taking = Pick<UnreadPlace, 'isRetry'> & {
  /** null: every wallet is read with its swaps. */
  readonly findSwapped: FindSwapped | null;
  readonly steps: readonly Outcome[];
  readonly hops: readonly FoundHop[];
  readonly visited: ReadonlySet<Address>;
  /** Whether the trail ends with the hop that led here. */
  readonly arriving: Promise<Ended | null>;
};

/**
 * Decides one wallet, or ends the trail if it cannot be read. Most wallets pass the money on and never swap, so one page of their
 * transfers decides. Their swaps are checked later for many wallets at once, before a busier wallet is read. Sales are checked then,
 * too: if the money was sold, the busy wallet is a pool, and what left it belongs to other customers.
 */
export const takeStep = async (
  context: FollowContext,
  current: FollowedWallet,
  { steps, hops, visited, findSwapped, isRetry, arriving }: Taking,
): Promise<Outcome | Corrected> => {
  try {
    if (findSwapped === null) return await decideHop(context, current, { visited });
    const passage = await passQuickly(context, current);
    if (passage?.type === 'hop') return passage;
    const end = await arriving;
    if (end !== null) return end;
    if (passage?.page.rows.length === 0) context.details.begin(hops);
    const isBusy = passage !== null && passage.page.next !== null;
    // A wallet that pays on at once may be a contract, and the hop then leads through it.
    const settled = passage?.paysAtOnce ? hops.slice(0, -1) : hops;
    const [swapped, sale, mayHaveSwapped] = await Promise.all([
      findSwapped(steps, context.reads),
      isBusy ? unlessUnread(findSale(context, settled, context.reads), null) : null,
      passage && readSwappers(context, [passage.whole], context.reads),
    ]);
    const firstPage = passage && !mayHaveSwapped?.(current.wallet) ? passage.page : null;
    return firstOf(hops, swapped, sale) ?? (await decideHop(context, current, { firstPage, visited }));
  } catch (error) {
    return endUnread({ wallet: current.wallet, isFirst: steps.length === 0, isRetry }, error);
  }
};

/** Whichever comes first on the trail. A wallet that swapped made no hop that could be a sale. */
export const firstOf = (
  hops: readonly FoundHop[],
  swapped: number | null,
  sale: Sale | null,
): Corrected | null => {
  const isSold = sale !== null && (swapped === null || hops.indexOf(sale.hop) < swapped);
  if (isSold) return { type: 'sold', ...sale };
  return swapped === null ? null : { type: 'swapped', at: swapped };
};

/** The wallet does not seem to have only passed the money on. */
type Ambiguous = {
  readonly type: 'ambiguous';
  readonly paysAtOnce: boolean;
  /** The first page of its outgoing transfers. */
  readonly page: FlowPage;
  /** If the wallet did not swap within this span, the page is the first one of all outflows. */
  readonly whole: WalletSpan;
};

/**
 * Decides a hop by one page of transfers, if these equal what arrived. The hop stands unless the wallet swapped within
 * `swapsUncheckedFor`. null at the start of a trail without a known amount.
 */
const passQuickly = async (
  context: FollowContext,
  current: FollowedWallet,
): Promise<Onward | Ambiguous | null> => {
  const { wallet, stake } = current;
  const [first] = stake.lots;
  if (first === undefined) return null;
  // The recipient of most is probably read next.
  const aheadRaw = (sumOf(stake.lots) * MAJORITY_PARTS) / PARTS;
  const asked = { wallet, from: startOf(first), transfersOnly: true, aheadRaw };
  const { page } = await openPages(context, 'departures', asked);
  const allocation = toAllocation(context, current);
  const allocator = createFifoAllocator(allocation);
  allocateAll(allocator, createPayments(allocation, context.refunds)(closeTransactions(page).closed));
  const last = allocator.outflows.at(-1);
  const whole = { wallet, fromUnixSeconds: first.blockTime, toUnixSeconds: END_OF_TIME.blockTime };
  const arrivalKeys = new Set(stake.lots.map(transactionKey));
  const paysAtOnce = page.rows.some((row) => arrivalKeys.has(transactionKey(row)));
  const ambiguous: Ambiguous = { type: 'ambiguous', paysAtOnce, page, whole };
  const isAll = allocator.isOver() || page.next === null;
  if (last === undefined || !isAll || !allocator.isUnambiguous()) return ambiguous;
  const seen = await see(context, current, { outflows: allocator.outflows, cuts: [] });
  const hop = seen.known.sinceInflow === 'unread' ? null : straightOn(context, current, seen);
  const swapsUncheckedFor = allocator.isOver() ? { ...whole, toUnixSeconds: last.blockTime } : whole;
  return hop === null ? ambiguous : { ...hop, swapsUncheckedFor: [swapsUncheckedFor] };
};

/** The first step whose wallet swapped, or may have, unchecked. null: all steps stand. */
export type FindSwapped = (steps: readonly Outcome[], reads: FollowReads) => Promise<number | null>;

/** One read for all unchecked spans. */
export const createFindSwapped = (context: FollowContext): FindSwapped => {
  const checked = new Set<WalletSpan>();
  return async (steps, reads) => {
    const hops = steps.filter((step) => step.type === 'hop');
    const fresh = hops.flatMap((hop) => hop.swapsUncheckedFor).filter((span) => !checked.has(span));
    if (fresh.length === 0) return null;
    const mayHaveSwapped = await readSwappers(context, fresh, reads);
    const swapped = new Set(fresh.filter(({ wallet }) => mayHaveSwapped(wallet)));
    for (const span of fresh) if (!swapped.has(span)) checked.add(span);
    const first = hops.findIndex((hop) => hop.swapsUncheckedFor.some((span) => swapped.has(span)));
    return first === -1 ? null : first;
  };
};

/** If the read fails, each of these wallets may have swapped. */
const readSwappers = async (
  { request: { chain }, asset: { canonicalAsset } }: FollowContext,
  spans: readonly WalletSpan[],
  reads: FollowReads,
): Promise<(wallet: Address) => boolean> => {
  const ownOnly = isUnverifiedToken(chain, canonicalAsset);
  const reading = reads.swappers({ chain: chain.name, canonicalAsset, ownOnly }, spans);
  const swapped = await unlessUnread(reading, null);
  const swappers = new Set(spans.flatMap(({ wallet }, at) => (swapped?.[at] ? [wallet] : [])));
  return (wallet) => swapped === null || swappers.has(wallet);
};

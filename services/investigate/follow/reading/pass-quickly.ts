import { sumOf } from '../../model/amount.ts';
import type { FlowPage, WalletSpan } from '../../model/transfer-reader.ts';
import { type Onward, see, straightOn } from '../decide-hop.ts';
import type { FollowContext, Stand } from '../follow-context.ts';
import { allocateAll, createFifoAllocator } from '../payments/allocate-outflows.ts';
import { createPayments } from '../payments/create-payments.ts';
import { startOf } from '../payments/gather-outflows.ts';
import { closeTransactions } from '../payments/read-pages.ts';
import { MAJORITY_PARTS, PARTS } from '../rules.ts';
import { pageOf, toReading } from './to-reading.ts';

const NEVER_UNIX_SECONDS = 4_294_967_295;

/** What the transfers out of a wallet say that does not seem just to have passed the money on. */
export type Unclear = {
  readonly type: 'unclear';
  /** null at the start of a trail, where no amount was named. */
  readonly transfers: {
    /** The first page of them. */
    readonly page: FlowPage;
    /** Unless the wallet swapped within it, that is the first page of all that left. */
    readonly whole: WalletSpan;
  } | null;
};

/**
 * Decides a hop by one page of transfers, where those are just what arrived: unless the wallet swapped within `swapsUncheckedFor`, nothing else
 * can have counted.
 */
export const passQuickly = async (context: FollowContext, stand: Stand): Promise<Onward | Unclear> => {
  const [allocation, { sizes, refunds }] = toReading(context, stand);
  const { wallet, stake } = stand;
  const [first] = stake.lots;
  if (first === undefined) return { type: 'unclear', transfers: null };
  // Who got most of the money is read next, if it was passed on.
  const aheadRaw = (sumOf(stake.lots) * MAJORITY_PARTS) / PARTS;
  const readPage = pageOf(context, stand, { side: 'departures', transfersOnly: true, aheadRaw });
  const page = await readPage(startOf(first), Math.min(sizes.firstRows, sizes.maxRows));
  const allocator = createFifoAllocator(allocation);
  allocateAll(allocator, createPayments(allocation, refunds)(closeTransactions(page).closed));
  const last = allocator.outflows.at(-1);
  const whole = { wallet, fromUnixSeconds: first.blockTime, toUnixSeconds: NEVER_UNIX_SECONDS };
  const unclear: Unclear = { type: 'unclear', transfers: { page, whole } };
  const isAll = allocator.isOver() || page.next === null;
  if (last === undefined || !isAll || !allocator.isClear()) return unclear;
  const seen = await see(context, stand, { outflows: allocator.outflows, cuts: [] });
  const hop = seen.known.sinceInflow === 'unread' ? null : straightOn(context, stand, seen);
  const swapsUncheckedFor = allocator.isOver() ? { ...whole, toUnixSeconds: last.blockTime } : whole;
  return hop === null ? unclear : { ...hop, swapsUncheckedFor: [swapsUncheckedFor] };
};

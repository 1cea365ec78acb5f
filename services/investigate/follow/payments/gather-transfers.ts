import type { FlowPage, WalletSpan } from '../../model/transfer-reader.ts';
import { createPayments } from './create-payments.ts';
import { type Reading, startOf } from './gather-outgoing.ts';
import type { Outgoing } from './outgoing.ts';
import { closeTransactions } from './read-head.ts';
import { createOutgoingTaker, type TakeContext, takeAll } from './take-outgoing.ts';

const NEVER_UNIX_SECONDS = 4_294_967_295;

export type GatheredTransfers = {
  /** The first page of them. */
  readonly page: FlowPage;
  /** Unless the wallet swapped within it, that is the first page of all that left. */
  readonly whole: WalletSpan;
  /** What left, where transfers alone are just what arrived; null where it is not as plain as that. */
  readonly plain: { readonly outgoing: readonly Outgoing[]; readonly unasked: WalletSpan } | null;
};

/**
 * What left a wallet in transfers, one page: unless the wallet swapped within `unasked`, nothing else can have counted where
 * they are plain. null at the start of a trail, where no amount was named.
 */
export const gatherTransfers = async (
  context: TakeContext,
  { sizes, returned, readPage }: Pick<Reading, 'sizes' | 'returned' | 'readPage'>,
): Promise<GatheredTransfers | null> => {
  const { wallet, stake } = context;
  const [first] = stake.lots;
  if (first === undefined) return null;
  const page = await readPage(startOf(first), Math.min(sizes.firstRows, sizes.maxRows));
  const taker = createOutgoingTaker(context);
  takeAll(taker, createPayments(context, returned)(closeTransactions(page).closed));
  const last = taker.outgoing.at(-1);
  const isAll = taker.isOver() || page.next === null;
  const whole = { wallet, fromUnixSeconds: first.blockTime, toUnixSeconds: NEVER_UNIX_SECONDS };
  if (last === undefined || !isAll || !taker.isClear()) return { page, whole, plain: null };
  const unasked = taker.isOver() ? { ...whole, toUnixSeconds: last.blockTime } : whole;
  return { page, whole, plain: { outgoing: taker.outgoing, unasked } };
};

import type { WalletSpan } from '../model/transfer-reader.ts';
import { isClear, type Reading, startOf, takeAll } from './gather-outgoing.ts';
import type { Outgoing } from './outgoing.ts';
import { createOutgoingTaker, type TakeContext } from './take-outgoing.ts';

const NEVER_UNIX_SECONDS = 4_294_967_295;

export type GatheredTransfers = {
  readonly outgoing: readonly Outgoing[];
  /** Where a swap in there would have counted too. */
  readonly unasked: WalletSpan;
};

/**
 * What left a wallet in transfers, one page, where they alone are just what arrived: unless the wallet swapped within
 * `unasked`, nothing else can have counted. null where it is not as plain as that.
 */
export const gatherTransfers = async (
  context: TakeContext,
  { sizes, readPage }: Pick<Reading, 'sizes' | 'readPage'>,
): Promise<GatheredTransfers | null> => {
  const { wallet, arrivals } = context;
  const [first] = arrivals ?? [];
  if (arrivals === null || first === undefined) return null;
  const { rows, next } = await readPage(startOf(first), Math.min(sizes.firstRows, sizes.maxRows));
  const taker = createOutgoingTaker(context);
  takeAll(taker, rows);
  const last = taker.outgoing.at(-1);
  const isAll = taker.isOver() || next === null;
  if (last === undefined || !isAll || !isClear(taker.outgoing, arrivals)) return null;
  const toUnixSeconds = taker.isOver() ? last.blockTime : NEVER_UNIX_SECONDS;
  return { outgoing: taker.outgoing, unasked: { wallet, fromUnixSeconds: first.blockTime, toUnixSeconds } };
};

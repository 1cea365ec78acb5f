import type { Payer } from '../../credits/decider/state.ts';
import { type Purchase, TARIFFS } from '../../credits/decider/tariffs.ts';
import type { Ledger } from '../../credits/ledger.ts';
import { beginWork, type PaidWork, type Work } from './begin-work.ts';
import { findBalance } from './show-credits.ts';

type Call = { readonly payer: Payer; readonly tariff: Purchase };

type Begun<T, R> = { readonly work: Work<T>; readonly reserved: R };

/**
 * Prepares the work of a call and then reserves it, in this order: what cannot be worked out leaves nothing at the ledger. The work
 * is likely to follow only where the books that this process has show a place and the means for it, and its other calls that
 * are as far do not need them: what the ledger refuses afterwards has cost no more than a call that nobody pays for.
 * Throws what either throws.
 */
export const createBeginReserved = ({ ledger }: { ledger: Pick<Ledger, 'balance'> }) => {
  /** Calls by who pays whose work was said to follow, and which the ledger has not answered. */
  const likely = new Map<Payer, number>();
  const change = (payer: Payer, by: 1 | -1): void => {
    const count = (likely.get(payer) ?? 0) + by;
    if (count === 0) likely.delete(payer);
    else likely.set(payer, count);
  };

  return async <T, R>(paidWork: PaidWork<T>, call: Call, reserve: () => Promise<R>): Promise<Begun<T, R>> => {
    // It begins with the reservation, and not before.
    if (typeof paidWork === 'function') return { work: paidWork, reserved: await reserve() };
    const { payer } = call;
    const mayPay = countReservable(ledger, call) > (likely.get(payer) ?? 0);
    if (mayPay) change(payer, 1);
    try {
      const work = await beginWork(paidWork, mayPay);
      return { work, reserved: await reserve() };
    } finally {
      if (mayPay) change(payer, -1);
    }
  };
};

/** How many such calls could be reserved now, none of them having ended; none while the ledger is out of reach. */
const countReservable = (ledger: Pick<Ledger, 'balance'>, { payer, tariff }: Call): number => {
  const balance = findBalance(ledger, payer);
  if (balance === null || balance.heldBackUntilUnixMs !== null) return 0;
  const places = balance.openCallsMax - balance.openCalls;
  // Pays for each call by itself.
  if (payer.startsWith('wallet:') || tariff === 'pack') return places;
  const { allowance, units, credits } = TARIFFS[tariff];
  const left = allowance === 'analyses' ? balance.analysesLeft : balance.tracesLeft;
  return Math.min(places, Math.floor(left / units) + Math.floor(balance.packCredits / credits));
};

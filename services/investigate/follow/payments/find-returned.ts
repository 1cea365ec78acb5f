import { addRaw, least } from '../../model/amount.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { Outcome } from '../read-wallet.ts';
import type { RoundPlace } from './find-rounds.ts';
import { sumByTransaction } from './outgoing.ts';
import { paymentKey, type Returned } from './without-returned.ts';

export type Bounce = {
  /** Before the wallet that got its own money back. */
  readonly known: readonly Outcome[];
  readonly returned: Returned;
  readonly place: RoundPlace;
};

/**
 * Money that the last of these steps carries back, within one transaction, to a wallet that had sent it off in it, never
 * left that wallet: as much of it as went all the way round counts on no part of the way. null where some of it came back later.
 */
export const findReturned = (steps: readonly Outcome[], before: Returned): Bounce | null => {
  const last = steps.at(-1);
  if (last?.type !== 'hop') return null;
  const start = steps.findLastIndex((step) => step.type === 'hop' && step.hop.from === last.hop.to);
  if (start === -1) return null;
  const round = steps.slice(start).flatMap((step) => (step.type === 'hop' ? [step] : []));
  const sums = round.map(({ next: { arrivals } }) => sumByTransaction(arrivals ?? []));
  const [from = last.hop.signature] = last.next.arrivals ?? [];
  const returned = new Map(before);
  for (const at of last.next.arrivals ?? []) {
    const key = transactionKey(at);
    const amountRaw = sums.map((sum) => sum.get(key) ?? 0n).reduce(least);
    if (amountRaw === 0n) return null;
    for (const { hop } of round) addRaw(returned, paymentKey(at, hop.from, hop.to), amountRaw);
  }
  return { known: steps.slice(0, start), returned, place: { wallet: last.hop.to, from } };
};

import { least } from '../../model/amount.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { Outcome } from '../read-wallet.ts';
import type { WalkedRound } from './find-rounds.ts';
import { sumByTransaction } from './outgoing.ts';

export type Bounce = {
  /** Before the wallet that got its own money back. */
  readonly known: readonly Outcome[];
  readonly round: WalkedRound;
};

/**
 * Money that the last of these steps carries back, within one transaction, to a wallet that had sent it off in it, never
 * left that wallet: as much of it as went all the way round counts on no part of the way. null where some of it came back later.
 */
export const findReturned = (steps: readonly Outcome[]): Bounce | null => {
  const last = steps.at(-1);
  if (last?.type !== 'hop') return null;
  const start = steps.findLastIndex((step) => step.type === 'hop' && step.hop.from === last.hop.to);
  if (start === -1) return null;
  const round = steps.slice(start).flatMap((step) => (step.type === 'hop' ? [step] : []));
  const sums = round.map(({ next: { stake } }) => sumByTransaction(stake.lots));
  const carried = last.next.stake.lots.map((at) => ({
    ...at,
    amountRaw: sums.map((sum) => sum.get(transactionKey(at)) ?? 0n).reduce(least),
  }));
  if (carried.some(({ amountRaw }) => amountRaw === 0n)) return null;
  const [from = last.hop.signature] = carried;
  const ways = [{ steps: round.map(({ hop: { from, to } }) => [from, to] as const), carried }];
  return { known: steps.slice(0, start), round: { wallet: last.hop.to, from, ways } };
};

import { KEPT_WEIGHT } from '../rules.ts';
import type { Outgoing } from './outgoing.ts';
import { pairPayments, type Receipt, type Sides } from './pair-payments.ts';
import { passMessages } from './pass-messages.ts';

/** As far as amounts and times say. */
export type Attribution = {
  /** Payments that more likely than not pass on a whole arrival. */
  readonly own: ReadonlySet<Outgoing>;
  /** How probably a payment passes on what somebody else brought; none stands for 0. */
  readonly strangerChances: ReadonlyMap<Outgoing, number>;
  /** What strangers brought and payments pass on that are theirs more likely than not. */
  readonly passedOn: ReadonlySet<Receipt>;
};

/**
 * Whose money each payment is. Every receipt is passed on by one payment at most, whole or a part of it, or is kept; every payment
 * passes on one receipt, or is a piece of the followed money, which may leave in any number of pieces. All of them are told
 * together, since what one payment passes on no other does.
 */
export const attributePayments = (sides: Sides, backward: boolean): Attribution => {
  const { payments, receipts } = sides;
  const pairs = pairPayments(sides, backward);
  const size = { receipts: receipts.length, payments: payments.length };
  const chances = passMessages({ ...size, pairs, aloneWeight: KEPT_WEIGHT });
  const ownChances = new Map<Outgoing, number>();
  const strangerChances = new Map<Outgoing, number>();
  const each = (tell: (receipt: Receipt, payment: Outgoing, chance: number) => void): void => {
    for (const [at, pair] of pairs.entries()) {
      const [receipt, payment] = [receipts[pair.receipt], payments[pair.payment]];
      if (receipt !== undefined && payment !== undefined) tell(receipt, payment, chances[at] ?? 0);
    }
  };
  each((receipt, payment, chance) => add(receipt.isOwn ? ownChances : strangerChances, payment, chance));
  const receiptChances = new Map<Receipt, number>();
  each((receipt, payment, chance) => {
    if (!receipt.isOwn && isLikely(strangerChances.get(payment))) add(receiptChances, receipt, chance);
  });
  return { own: likely(ownChances), strangerChances, passedOn: likely(receiptChances) };
};

/** More likely than not. */
export const isLikely = (chance: number | undefined): boolean => chance !== undefined && chance > 0.5;

const likely = <T>(chances: ReadonlyMap<T, number>): ReadonlySet<T> =>
  new Set([...chances.keys()].filter((item) => isLikely(chances.get(item))));

const add = <T>(sums: Map<T, number>, item: T, chance: number): void => {
  sums.set(item, (sums.get(item) ?? 0) + chance);
};

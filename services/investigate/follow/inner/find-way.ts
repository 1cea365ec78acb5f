import type { Address } from '../../model/address.ts';
import { isService, type Label } from '../../model/label.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { Outflow } from '../payments/inflow.ts';
import { PASSED_MAX } from '../rules.ts';
import type { Passing, TellPayout } from './tell-payout.ts';

/** A payment, and the one that it comes to with those to whom contracts passed it on; mostly itself. */
export type Way = {
  readonly payment: Outflow;
  readonly reached: Outflow;
  readonly passed: readonly Passing[];
  /** Who passed it round to one of them, or to the payer; mostly nobody. */
  readonly round: readonly Address[];
};

export const toDirect = (payment: Outflow, round: readonly Address[] = []): Way => ({
  ...{ payment, reached: payment, passed: [], round },
});

export const throughOf = ({ passed }: Way): Address[] => passed.map(({ payout }) => payout.payer);

type Walking = {
  readonly wallet: Address;
  /** On the trail. */
  readonly visited: ReadonlySet<Address>;
  /** Of whom was met so far. */
  readonly labels: ReadonlyMap<Address, Label>;
  /** Transactions that brought the money. */
  readonly places: ReadonlySet<string>;
  readonly tell: TellPayout;
};

/** What goes round is where it was sent. Those who brought it pay nobody else with it. */
export const findWay = (payment: Outflow, { wallet, visited, places, tell, labels }: Walking): Way => {
  if (payment.type === 'swap') return toDirect(payment);
  const passed: Passing[] = [];
  const met = new Set([wallet]);
  const isBroughtHere = places.has(transactionKey(payment));
  let { to, amountRaw } = payment;
  for (;;) {
    if (met.has(to)) return toDirect(payment, [...met]);
    if (passed.length > PASSED_MAX) return toDirect(payment);
    met.add(to);
    if ((isBroughtHere && visited.has(to)) || isService(labels.get(to))) break;
    const passing = tell({ at: payment, payer: to, amountRaw });
    if (passing === null) break;
    passed.push(passing);
    amountRaw = passing.passedRaw;
    to = passing.payout.to;
  }
  if (passed.length === 0) return toDirect(payment);
  return { payment, reached: { ...payment, to, amountRaw }, passed, round: [] };
};

import { transactionKey } from '../../model/transfer-reader.ts';
import type { CompareOnTrail } from '../direction.ts';
import { chanceOf, type Inflow, type Outflow } from './inflow.ts';

type Came = { readonly all: number; readonly own: number };

/**
 * The probability that a payment without a matching receipt is the followed money: the followed share of all that had arrived by then.
 * What arrived in the payment's own transaction leaves first. Call it in the trail's order.
 */
export const createChanceOfPiece = (
  arrivals: readonly Inflow[],
  compare: CompareOnTrail,
): ((payment: Outflow) => number) => {
  let next = 0;
  let before: Came = { all: 0, own: 0 };
  let last: Came & { readonly key: string } = { all: 0, own: 0, key: '' };
  return (payment) => {
    for (let arrival = arrivals[next]; arrival && compare(arrival, payment) <= 0; arrival = arrivals[next]) {
      const key = transactionKey(arrival);
      if (key !== last.key) {
        before = add(before, last);
        last = { all: 0, own: 0, key };
      }
      const all = Number(arrival.amountRaw);
      last = { ...add(last, { all, own: all * chanceOf(arrival) }), key };
      next += 1;
    }
    if (last.key !== transactionKey(payment)) return shareOf(add(before, last));
    const rest = before.all === 0 ? shareOf(last) : shareOf(before);
    const first = Math.min(1, last.all / Number(payment.amountRaw));
    return rest + first * (shareOf(last) - rest);
  };
};

const add = (a: Came, b: Came): Came => ({ all: a.all + b.all, own: a.own + b.own });

/** 1 if nothing is known of what came. */
const shareOf = ({ all, own }: Came): number => (all === 0 ? 1 : own / all);

import { transactionKey } from '../../model/transfer-reader.ts';
import type { CompareOnTrail } from '../direction.ts';
import { chanceOf, type Inflow, type Outflow } from './inflow.ts';

type Came = { readonly all: number; readonly own: number };

/**
 * How probably a payment is the followed money where it passes on no receipt alone: a piece of all that had arrived by then. What
 * arrived with its own transaction leaves first. Call it in the trail's order.
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
        before = sumOf(before, last);
        last = { all: 0, own: 0, key };
      }
      const all = Number(arrival.amountRaw);
      last = { ...sumOf(last, { all, own: all * chanceOf(arrival) }), key };
      next += 1;
    }
    if (last.key !== transactionKey(payment)) return partOf(sumOf(before, last));
    const rest = before.all === 0 ? partOf(last) : partOf(before);
    const first = Math.min(1, last.all / Number(payment.amountRaw));
    return rest + first * (partOf(last) - rest);
  };
};

const sumOf = (a: Came, b: Came): Came => ({ all: a.all + b.all, own: a.own + b.own });

/** 1 where nothing is known of what came. */
const partOf = ({ all, own }: Came): number => (all === 0 ? 1 : own / all);

import type { Address } from '../../model/address.ts';
import { fromWholeUnits, most, toWholeUnits } from '../../model/amount.ts';
import type { FlowPage, RowPosition } from '../../model/transfer-reader.ts';
import { startPosition } from '../begin-journey.ts';
import type { Journey } from '../journey.ts';
import type { FollowedAsset } from '../trail.ts';
import type { Cut } from '../why.ts';
import { createPayments } from './create-payments.ts';
import { isPassedOn } from './is-passed-on.ts';
import type { Arrival } from './outgoing.ts';
import { flowSides, readFlows } from './read-flows.ts';

export type Arrived = {
  /** In the trail's order; empty where no such payment is known. */
  readonly arrivals: readonly Arrival[] | null;
  /** Where its payer was read in part, and more may have been paid; mostly none. */
  readonly cuts: readonly Cut[];
};

/**
 * The money that is followed from the start wallet: what its counterparty paid it, until that sums to the amount that was
 * named; without a counterparty that amount itself, as if it had arrived just then; without either null.
 */
export const findArrivals = async (journey: Journey): Promise<Arrived> => {
  const { request, asset } = journey;
  if (request.counterparty !== null) return findPaid(journey, request.counterparty);
  if (request.amount === null) return { arrivals: null, cuts: [] };
  const amountRaw = toNamed(request.amount, asset);
  return { arrivals: [{ ...startPosition(request), amountRaw, isTold: true }], cuts: [] };
};

/** Less than there is of it is some of it. */
const toNamed = (amount: number, { decimals }: FollowedAsset): bigint =>
  most(1n, fromWholeUnits(amount, decimals ?? 0));

/** What the payer gave away in a swap was no payment: it came back as another asset. */
const findPaid = async (journey: Journey, payer: Address): Promise<Arrived> => {
  const { request, asset, pages } = journey;
  const { chain, start, backward, amount } = request;
  const toPayments = createPayments(
    { chain, wallet: payer, family: asset.family, arrivals: null, backward },
    journey.returned,
  );
  const arrivals: Arrival[] = [];
  let sumRaw = 0n;
  let rowsRead = 0;
  let from: RowPosition | null = startPosition(request);
  while (from !== null && rowsRead < pages.maxRows) {
    const limit = rowsRead === 0 ? pages.firstRows : pages.nextRows;
    const asked = { wallet: payer, from, limit };
    const page: FlowPage = await readFlows(journey, flowSides(backward).onward, asked);
    for (const payment of toPayments(page.rows)) {
      if (payment.type !== 'transfer' || payment.to !== start) continue;
      sumRaw += payment.amountRaw;
      // As an answer said it: the double may lie above the sum that it was made of.
      const isEnough = amount !== null && toWholeUnits(sumRaw, asset.decimals) >= amount;
      const overRaw = isEnough ? most(0n, sumRaw - toNamed(amount, asset)) : 0n;
      arrivals.push(withoutOver(payment, overRaw));
      if (isEnough) return { arrivals, cuts: [] };
    }
    rowsRead += page.rows.length;
    from = page.next;
  }
  return { arrivals, cuts: from === null ? [] : [{ wallet: payer, rows: rowsRead, side: 'payer' }] };
};

/** Who names less of a payment speaks of a part of it; but for a fee it is a rounded word for all of it. */
const withoutOver = (payment: Arrival, overRaw: bigint): Arrival => {
  const amountRaw = most(1n, payment.amountRaw - overRaw);
  return isPassedOn(amountRaw, payment.amountRaw, false) ? payment : { ...payment, amountRaw };
};

import type { Address } from '../../model/address.ts';
import { fromWholeUnits, least, most, sumOf, toWholeUnits } from '../../model/amount.ts';
import { directionOf, type FlowSide, FORWARD } from '../direction.ts';
import { startPosition } from '../find-asset.ts';
import type { FollowContext } from '../follow-context.ts';
import type { FollowedAsset } from '../trail.ts';
import type { TruncatedRead } from '../why.ts';
import { createPayments } from './create-payments.ts';
import { toAllocation } from './gather-outflows.ts';
import { toStream } from './group-destinations.ts';
import { EVERYTHING, type Inflow, paidIn, type Stake } from './inflow.ts';
import { readFlows } from './read-flows.ts';
import { openPages } from './read-pages.ts';

export type Arrived = {
  /** Without lots where no such payment is known. */
  readonly stake: Stake;
  /** If its payer was read only in part, more may have been paid; mostly none. */
  readonly cuts: readonly TruncatedRead[];
};

/**
 * The money that is followed from the start wallet: what its counterparty paid it, or without one what arrived in that very
 * second, until that sums to the amount that was named. Where less arrived then, the amount itself, as if it had arrived just
 * then; where none is named, everything that left.
 */
export const findArrivals = async (context: FollowContext): Promise<Arrived> => {
  const { request, asset } = context;
  if (request.counterparty !== null) return findPaid(context, request.counterparty);
  const came = await findInflow(context);
  if (came !== null) return { stake: paidIn(came), cuts: [] };
  if (request.amount === null) return { stake: EVERYTHING, cuts: [] };
  const amountRaw = toNamed(request.amount, asset);
  return { stake: { lots: [{ ...startPosition(request), amountRaw }], source: 'caller' }, cuts: [] };
};

/** If less was named than arrived, a part of it is followed. */
const toNamed = (amount: number, { decimals }: FollowedAsset): bigint =>
  most(1n, fromWholeUnits(amount, decimals ?? 0));

/**
 * What arrived in the requested second, of the requested asset: a swap's proceeds, a bridge's payout. null where that is not the money:
 * more left in that second, as in the second of a theft, or less came than the named amount.
 */
const findInflow = async (context: FollowContext): Promise<readonly Inflow[] | null> => {
  const { atUnixSeconds, amount, canonicalAsset } = context.request;
  if (!atUnixSeconds || (canonicalAsset === null && amount === null)) return null;
  const { onward, counter } = context.direction;
  const came = await readSecond(context, counter);
  if (came.length === 0) return null;
  if (amount !== null) return takeNamed(came, toNamed(amount, context.asset));
  const left = await readSecond(context, onward);
  return sumOf(left) > sumOf(came) ? null : came;
};

/** What moved in the second asked about, transaction by transaction. */
const readSecond = async (context: FollowContext, side: FlowSide): Promise<readonly Inflow[]> => {
  const { request, pages, refunds } = context;
  const { start: wallet, atUnixSeconds } = request;
  const backward = side === 'arrivals';
  const from = startPosition({ ...request, backward });
  const page = await readFlows(context, side, { wallet, from, limit: pages.firstRows });
  const rows = page.rows.filter(({ blockTime }) => blockTime === atUnixSeconds);
  const allocation = toAllocation(context, { wallet, stake: EVERYTHING });
  const toPayments = createPayments({ ...allocation, direction: directionOf(backward) }, refunds);
  const payments = toPayments(rows).toSorted(context.direction.compare);
  return payments.length === 0 ? [] : toStream(payments).carriers;
};

/** The receipt that equals the amount, else the first ones that sum to it; null if they do not. */
const takeNamed = (came: readonly Inflow[], namedRaw: bigint): readonly Inflow[] | null => {
  const [same] = came.filter(
    ({ amountRaw }) =>
      FORWARD.equalsWithinFee(namedRaw, amountRaw) || FORWARD.equalsWithinFee(amountRaw, namedRaw),
  );
  if (same !== undefined) return [same];
  const taken: Inflow[] = [];
  let leftRaw = namedRaw;
  for (const arrival of came) {
    if (leftRaw === 0n) break;
    const amountRaw = least(arrival.amountRaw, leftRaw);
    taken.push({ ...arrival, amountRaw });
    leftRaw -= amountRaw;
  }
  return leftRaw === 0n ? taken : null;
};

/** What the payer gave away in a swap was no payment: it came back as another asset. */
const findPaid = async (context: FollowContext, payer: Address): Promise<Arrived> => {
  const { request, direction, asset } = context;
  const { start, amount } = request;
  const allocation = toAllocation(context, { wallet: payer, stake: EVERYTHING });
  const toPayments = createPayments(allocation, context.refunds);
  const asked = { wallet: payer, from: startPosition(request) };
  const pages = await openPages(context, direction.onward, asked);
  const arrivals: Inflow[] = [];
  let sumRaw = 0n;
  do {
    for (const payment of toPayments(pages.page.rows)) {
      if (payment.type !== 'transfer' || payment.to !== start) continue;
      sumRaw += payment.amountRaw;
      // Named as an answer printed it: the double may exceed the exact sum.
      const isEnough = amount !== null && toWholeUnits(sumRaw, asset.decimals) >= amount;
      const overRaw = isEnough ? most(0n, sumRaw - toNamed(amount, asset)) : 0n;
      arrivals.push(withoutOver(payment, overRaw));
      if (isEnough) return { stake: paidIn(arrivals), cuts: [] };
    }
  } while (await pages.readNext());
  const { page, rowsRead: rows } = pages;
  const cuts: Arrived['cuts'] = page.next === null ? [] : [{ wallet: payer, rows, side: 'payer' }];
  return { stake: paidIn(arrivals), cuts };
};

/** A named amount below the payment means a part of it; within a fee it is a rounded name for all of it. */
const withoutOver = (payment: Inflow, overRaw: bigint): Inflow => {
  const amountRaw = most(1n, payment.amountRaw - overRaw);
  return FORWARD.equalsWithinFee(amountRaw, payment.amountRaw) ? payment : { ...payment, amountRaw };
};

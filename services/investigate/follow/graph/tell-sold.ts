import type { Address } from '../../model/address.ts';
import { larger, largestFirst, sumOf } from '../../model/amount.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { FollowContext } from '../follow-context.ts';
import { findSold, type Told } from '../sales/find-sale.ts';
import type { FlowPayment, FlowTransfer } from './flow-graph.ts';

/** Turns payments into sales if most of what their recipient got was sold, as their transactions show. */
export const tellSold = async (
  context: FollowContext,
  wallet: Address,
  payments: readonly FlowPayment[],
): Promise<readonly FlowPayment[]> => {
  const paid = payments.filter(isPaid).sort(context.direction.compare);
  const sold = await findSold(context, wallet, paid);
  const sales = new Map(sold.map(({ hop, told }) => [hop.to, told]));
  return payments.flatMap((payment) => {
    const told = isPaid(payment) ? sales.get(payment.to) : undefined;
    return isPaid(payment) && told !== undefined ? sell(payment, told) : [payment];
  });
};

const isPaid = (payment: FlowPayment): payment is FlowTransfer =>
  payment.type === 'transfer' && !payment.isKept;

/** With the output of its own transaction. If that was not read, only the asset and its recipient are known. */
const sell = (payment: FlowTransfer, sale: readonly Told[]): readonly FlowPayment[] => {
  // Of a few raw units, somebody's part of the proceeds may round to nothing.
  const here = sale.filter(
    ({ carrier }) => transactionKey(carrier) === transactionKey(payment) && carrier.amountRaw > 0n,
  );
  if (here.length === 0) {
    const sold = sale.filter(({ proceeds }) => proceeds !== null);
    const main = sold.toSorted((a, b) => largestFirst(a.carrier, b.carrier))[0];
    return [toSold(payment, main?.proceeds ?? null, null)];
  }
  const carriedRaw = sumOf(here.map(({ carrier }) => carrier));
  const shares = here.map(({ carrier, proceeds }) => {
    const amountRaw = (payment.amountRaw * carrier.amountRaw) / carriedRaw;
    const gotRaw = proceeds && (proceeds.gotRaw * amountRaw) / carrier.amountRaw;
    return { payment: { ...payment, amountRaw }, proceeds, gotRaw, amountRaw };
  });
  const oddRaw = payment.amountRaw - sumOf(shares);
  const largest = shares.reduce(larger);
  return shares.map((share) => {
    const amountRaw = share.amountRaw + (share === largest ? oddRaw : 0n);
    return toSold({ ...payment, amountRaw }, share.proceeds, share.gotRaw);
  });
};

const toSold = (payment: FlowTransfer, proceeds: Told['proceeds'], gotRaw: bigint | null): FlowPayment => {
  if (proceeds === null) return payment;
  const { type: _, to: through, through: __, isKept: ___, ...moved } = payment;
  const output = { asset: proceeds.asset.canonicalAsset, amountRaw: gotRaw };
  return { ...moved, type: 'swap', by: proceeds.address, through, output };
};

import { largestFirst } from '../../model/amount.ts';
import { toCanonicalAsset } from '../../model/asset.ts';
import { NATIVE } from '../../model/movement.ts';
import {
  compareTransactions,
  type Flow,
  type SwapFlow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import { createWithoutRefunds, type Refunds } from '../inner/refunds.ts';
import type { Allocation } from './allocate-outflows.ts';
import { type Outflow, sumByTransaction } from './inflow.ts';

/** Takes the pages of a wallet's outflows in the trail's order and returns the payments they hold. */
export type ToPayments = (rows: readonly Flow[]) => readonly Outflow[];

/**
 * Rows → payments. All that a wallet sent in a transaction in which it swapped was its side of the swap, which stands for it.
 * Within a transaction the larger come first: the order of logs and value frames says little about what was meant. But where the
 * money arrived with it, one that passes on just as much comes before what others paid in beside; of several of one amount each
 * has its part, since only their names would tell them apart.
 */
export const createPayments = (allocation: Allocation, refunds: Refunds): ToPayments => {
  let swap: (Outflow & { readonly swaps: SwapFlow[] }) | null = null;
  const isPassage = passesOn(allocation);
  const inOrder = byTransactionThenAmount(allocation, isPassage);
  const withoutRefunds = createWithoutRefunds(refunds, { wallet: allocation.wallet, onward: true });
  return (rows) => {
    const payments: Outflow[] = [];
    // A payment of exactly the money is not merged with what others sent the same way.
    const apart = [...rows.filter(isPassage), ...joinRows(rows.filter((row) => !isPassage(row)))];
    const flows = withoutRefunds(apart).toSorted(inOrder);
    const alike = Map.groupBy(flows.filter(isPassage), keyOfAlike);
    const parts = new Map([...alike.values()].flatMap(divide));
    for (const flow of flows) {
      const isOfSwap = swap !== null && compareTransactions(swap, flow) === 0;
      const { blockTime, blockNumber, txIndex, amountRaw } = flow;
      const common = { blockTime, blockNumber, txIndex, amountRaw };
      // All of it came back later: what was sent with it is no payment either.
      if (flow.type === 'swap' && amountRaw === 0n && !isOfSwap)
        swap = { ...common, type: 'swap', swaps: [] };
      if ((isOfSwap && flow.type === 'transfer') || !carriesMoney(flow, allocation)) continue;
      if (flow.type === 'transfer') {
        const partRaw = parts.get(flow) ?? amountRaw;
        payments.push({ ...common, amountRaw: partRaw, type: 'transfer', to: flow.counterparty });
      } else if (isOfSwap) {
        swap?.swaps.push(flow);
      } else {
        swap = { ...common, type: 'swap', swaps: [flow] };
        payments.push(swap);
      }
    }
    return payments;
  };
};

/** Divides an amount equally. The remainder goes to the first ones, one unit each. */
const divide = (alike: readonly Flow[]): readonly (readonly [Flow, bigint])[] => {
  const count = BigInt(alike.length);
  return alike.map((flow, at) => {
    const isMore = BigInt(at) < flow.amountRaw % count;
    return [flow, flow.amountRaw / count + (isMore ? 1n : 0n)];
  });
};

type IsPassage = (flow: Flow) => boolean;

/** Whether it equals the money that arrived in its transaction. */
const passesOn = ({ direction, stake }: Allocation): IsPassage => {
  const cameRaw = sumByTransaction(stake.lots);
  return (flow) => direction.equalsWithinFee(flow.amountRaw, cameRaw.get(transactionKey(flow)) ?? 0n);
};

/** The same for all that one transaction paid of one amount. */
const keyOfAlike = (flow: Flow): string => `${transactionKey(flow)} ${flow.amountRaw}`;

const byTransactionThenAmount =
  ({ direction }: Allocation, isPassage: IsPassage) =>
  (a: Flow, b: Flow): number => {
    const order = direction.compare(a, b);
    if (order !== 0) return order;
    if (a.type === 'swap' || b.type === 'swap') return a.step - b.step;
    if (a.amountRaw === b.amountRaw)
      return a.counterparty < b.counterparty ? -1 : Number(a.counterparty > b.counterparty);
    return Number(isPassage(b)) - Number(isPassage(a)) || largestFirst(a, b);
  };

const carriesMoney = (flow: Flow, { chain, wallet, canonicalAsset }: Allocation): boolean => {
  if (flow.amountRaw <= 0n) return false;
  if (flow.type === 'swap') return toCanonicalAsset(chain, flow.otherAsset) !== canonicalAsset;
  // Wrapping: the coin comes back at once as a token of the same worth. (A token sent to its own contract is lost.)
  const isWrapped = canonicalAsset === NATIVE && flow.counterparty === chain.wrappedNative;
  return flow.counterparty !== wallet && !isWrapped;
};

/** What one transaction moved between two wallets is one sum, in however many rows: a payment or a receipt. */
export const joinRows = (rows: readonly Flow[]): readonly Flow[] => {
  const joined = new Map<string, Flow>();
  for (const row of rows) {
    const key = `${transactionKey(row)} ${row.type === 'swap' ? row.step : row.counterparty}`;
    const before = joined.get(key);
    joined.set(key, before === undefined ? row : { ...before, amountRaw: before.amountRaw + row.amountRaw });
  }
  return [...joined.values()];
};

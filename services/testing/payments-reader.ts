import type { Address } from '../investigate/model/address.ts';
import {
  compareRows,
  compareRowsBackward,
  type FlowPage,
  type FlowPlace,
  type FlowsOf,
  type RowPosition,
  TRANSFER_STEP,
  type TransactionPosition,
  type TransferFlow,
  type TransferReader,
  transactionKey,
} from '../investigate/model/transfer-reader.ts';
import { createMemoryReader } from './memory-reader.ts';

/** One payment of the coin, in a transaction of its own; its block is numbered as its time. */
export type PlainPayment = {
  readonly from: Address;
  readonly to: Address;
  readonly amountRaw: bigint;
  readonly time: number;
};

type Placed = PlainPayment & RowPosition;

/** The payments of a side of a wallet, in that side's order. */
type Side = { readonly length: number; readonly at: (place: number) => Placed };
type Sides = {
  readonly sent: (wallet: Address) => Side;
  readonly got: (wallet: Address) => Side;
  readonly inTransaction: (at: TransactionPosition) => Placed | undefined;
  readonly lastTime: number;
};

const toSide = (of: readonly Placed[] = []): Side => ({
  length: of.length,
  at: (place) => of[place] as Placed,
});

const place = (payment: PlainPayment, txIndex: number): Placed => {
  const { time: blockTime } = payment;
  return { ...payment, blockTime, blockNumber: blockTime, txIndex, step: TRANSFER_STEP };
};

/** A reader over very many payments, which answers as quickly as tables do. */
export const createPaymentsReader = (payments: readonly PlainPayment[]): TransferReader => {
  const placed = payments.toSorted((a, b) => a.time - b.time).map(place);
  const sent = Map.groupBy(placed, ({ from }) => from);
  const got = Map.groupBy(placed.toReversed(), ({ to }) => to);
  const at = new Map(placed.map((payment) => [transactionKey(payment), payment]));
  return readSides({
    sent: (wallet) => toSide(sent.get(wallet)),
    got: (wallet) => toSide(got.get(wallet)),
    inTransaction: (position) => at.get(transactionKey(position)),
    lastTime: placed.at(-1)?.time ?? 0,
  });
};

/** One wallet's payments, a crumb to each of so many others, none of which is kept in memory. */
export const createStarReader = (
  hub: Address,
  crumbs: readonly [count: number, to: (n: number) => Address],
) => {
  const [count, to] = crumbs;
  const payment = (n: number): Placed =>
    place({ from: hub, to: to(n), amountRaw: 1_000_000n, time: 2 + n }, n);
  return readSides({
    sent: (wallet) => (wallet === hub ? { length: count, at: payment } : toSide()),
    got: () => toSide(),
    inTransaction: ({ txIndex }) => payment(txIndex),
    lastTime: 2 + count,
  });
};

const readSides = ({ sent, got, inTransaction, lastTime }: Sides): TransferReader => {
  const page = (of: Side, side: 'out' | 'in', { from, limit }: FlowsOf & FlowPlace): FlowPage => {
    const compare = side === 'out' ? compareRows : compareRowsBackward;
    let [low, high] = [0, of.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(of.at(middle), from) < 0) low = middle + 1;
      else high = middle;
    }
    const end = Math.min(of.length, low + limit);
    const rows = Array.from({ length: end - low }, (_, n) => toFlow(of.at(low + n), side));
    return { rows, next: end < of.length ? of.at(end) : null };
  };
  return {
    ...createMemoryReader([]),
    flows: async (common, places) =>
      places.map((each) =>
        common.side === 'departures'
          ? page(sent(each.wallet), 'out', { ...common, ...each })
          : page(got(each.wallet), 'in', { ...common, ...each }),
      ),
    balance: async (_, wallets) => wallets.map(() => null),
    isKnown: async (_, wallets) => wallets.map((wallet) => sent(wallet).length + got(wallet).length > 0),
    contiguousRange: async () => [
      {
        fromUnixSeconds: 1,
        toUnixSeconds: lastTime,
        fromBlock: 0,
        toBlock: lastTime + 1,
        beginsChain: true,
        beginningToBlock: lastTime + 1,
      },
    ],
    transactionHashes: async (_, positions) =>
      positions.map((position) => (inTransaction(position) ? `0x${position.txIndex.toString(16)}` : null)),
    wholeTransactions: async (_, positions) =>
      positions.map((position) => {
        const payment = inTransaction(position);
        if (payment === undefined) return [];
        const { blockTime, blockNumber, txIndex, from, to, amountRaw } = payment;
        const at = { blockTime, blockNumber, txIndex, hash: `0x${txIndex.toString(16)}`, sender: from };
        return [{ ...at, from, to, canonicalAsset: 'native', amountRaw, authority: null }];
      }),
  };
};

const toFlow = (payment: Placed, side: 'out' | 'in'): TransferFlow => {
  const { blockTime, blockNumber, txIndex, step, from, to, amountRaw } = payment;
  const position = { blockTime, blockNumber, txIndex, step };
  return { ...position, type: 'transfer', counterparty: side === 'out' ? to : from, amountRaw };
};

import type { Address } from '../../model/address.ts';
import { larger, largestFirst, sumOf } from '../../model/amount.ts';
import type { Asset } from '../../model/asset.ts';
import { compareTransactions, type SwapFlow, type TransactionPosition } from '../../model/transfer-reader.ts';
import { type Arrival, type CompareOnTrail, compareOnTrail, type Outgoing } from './outgoing.ts';
import { withoutLookalikes } from './without-lookalikes.ts';

export type Stream = {
  readonly amountRaw: bigint;
  /** Each transaction once, with what it carried, in the trail's order. Never empty. */
  readonly carriers: readonly Arrival[];
  readonly largest: Arrival;
};

export type WalletDestination = Stream & { readonly type: 'wallet'; readonly address: Address };
/** What was swapped into one asset. Of a transaction that gave one amount for several, each has the whole. */
export type SwapStream = {
  readonly otherAsset: Asset;
  /** How much of that came back. */
  readonly otherRaw: bigint;
  readonly amountRaw: bigint;
  /** The largest swap, and the first. */
  readonly largestSwap: SwapFlow;
  readonly firstSwap: SwapFlow;
};
export type SwapDestination = Stream & {
  readonly type: 'swap';
  /** What most of it was swapped into. */
  readonly main: SwapStream;
  /** Into what else, largest first. */
  readonly besides: readonly SwapStream[];
};
export type Destination = WalletDestination | SwapDestination;

/**
 * Where the money went, largest first: one destination for each wallet, and one for all swaps together, since swapping
 * into several assets still leaves the money with the same owner. Equal amounts: whoever got money first, then by address.
 */
export const groupDestinations = (
  outgoing: readonly Outgoing[],
  backward: boolean,
): readonly Destination[] => {
  const transfers = outgoing.filter((item) => item.type === 'transfer');
  const swaps = outgoing.filter((item) => item.type === 'swap');
  const wallets = [...Map.groupBy(transfers, ({ to }) => to)].map(
    ([address, items]): WalletDestination => ({ type: 'wallet', address, ...toStream(items) }),
  );
  const destinations: Destination[] = [...withoutLookalikes(wallets)];
  const swapped = toSwapDestination(swaps);
  if (swapped !== null) destinations.push(swapped);
  return destinations.sort(byAmountThenOrder(compareOnTrail(backward)));
};

/** Of payments in the trail's order, at least one. */
export const toStream = (items: readonly Arrival[]): Stream => {
  const carriers: Arrival[] = [];
  for (const item of items) {
    const last = carriers.at(-1);
    if (last !== undefined && compareTransactions(last, item) === 0) {
      carriers[carriers.length - 1] = { ...last, amountRaw: last.amountRaw + item.amountRaw };
    } else {
      const { blockTime, blockNumber, txIndex, amountRaw } = item;
      carriers.push({ blockTime, blockNumber, txIndex, amountRaw });
    }
  }
  return { amountRaw: sumOf(items), carriers, largest: carriers.reduce(larger) };
};

const toSwapDestination = (items: readonly Extract<Outgoing, { type: 'swap' }>[]): SwapDestination | null => {
  const byOutput = Map.groupBy(
    items.flatMap(({ swaps }) => swaps),
    ({ otherAsset }) => otherAsset,
  );
  const streams = [...byOutput].flatMap(([otherAsset, swaps]) => toSwapStream(otherAsset, swaps));
  const [main, ...besides] = streams.toSorted(largestFirst);
  return main === undefined ? null : { type: 'swap', main, besides, ...toStream(items) };
};

const toSwapStream = (otherAsset: Asset, swaps: readonly SwapFlow[]): SwapStream[] => {
  const [firstSwap] = swaps;
  if (firstSwap === undefined) return [];
  const otherRaw = swaps.reduce((sum, swap) => sum + swap.otherRaw, 0n);
  return [{ otherAsset, otherRaw, amountRaw: sumOf(swaps), firstSwap, largestSwap: swaps.reduce(larger) }];
};

const byAmountThenOrder =
  (compare: CompareOnTrail) =>
  (a: Destination, b: Destination): number =>
    largestFirst(a, b) || compare(firstOf(a), firstOf(b)) || (nameOf(a) < nameOf(b) ? -1 : 1);

const firstOf = ({ carriers, largest }: Destination): TransactionPosition => carriers[0] ?? largest;
const nameOf = (destination: Destination): string =>
  destination.type === 'wallet' ? destination.address : '';

import type { Address } from '../../model/address.ts';
import { larger, largestFirst, sumOf } from '../../model/amount.ts';
import type { Asset } from '../../model/asset.ts';
import { giveWay, groupInTurns, mapInTurns } from '../../model/give-way.ts';
import { sortInTurns } from '../../model/sort-in-turns.ts';
import { compareTransactions, type SwapFlow } from '../../model/transfer-reader.ts';
import type { Direction } from '../direction.ts';
import { LOOKALIKE_DUST_PARTS, LOOKALIKE_PREFIX, LOOKALIKE_SUFFIX, MAJORITY_PARTS, PARTS } from '../rules.ts';
import type { Inflow, Outflow } from './inflow.ts';

export type Stream = {
  readonly amountRaw: bigint;
  /** Each transaction once, with what it carried, in the trail's order. Never empty. */
  readonly carriers: readonly Inflow[];
  readonly first: Inflow;
  readonly largest: Inflow;
};

export type WalletDestination = Stream & { readonly type: 'wallet'; readonly address: Address };
/** What was swapped into one asset. Of a transaction that gave one amount for several, each has the whole. */
export type SwapStream = {
  readonly otherAsset: Asset;
  /** How much of that asset was got. */
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
  /** The other assets, largest first. */
  readonly otherStreams: readonly SwapStream[];
};
export type Destination = WalletDestination | SwapDestination;

/**
 * Where the money went, largest first: one destination for each wallet, and one for all swaps together, since swapping
 * into several assets still leaves the money with the same owner. Equal amounts: whoever got money first, then by address.
 */
export const groupDestinations = (
  outflows: readonly Outflow[],
  direction: Direction,
): readonly Destination[] => {
  const { transfers, swaps } = apart(outflows);
  const wallets = [...Map.groupBy(transfers, ({ to }) => to)].map(toWallet);
  return [...withoutLookalikes(wallets), ...toSwapDestinations(swaps)].sort(byAmount(direction));
};

/** The same of what may be a hundred thousand payments. */
export const groupDestinationsInTurns = async (
  outflows: readonly Outflow[],
  direction: Direction,
): Promise<readonly Destination[]> => {
  const { transfers, swaps } = apart(outflows);
  const wallets = await mapInTurns(await groupInTurns(transfers, ({ to }) => to), toWallet);
  await giveWay();
  const destinations = [...withoutLookalikes(wallets), ...toSwapDestinations(swaps)];
  return sortInTurns(destinations, byAmount(direction));
};

const apart = (outflows: readonly Outflow[]) => ({
  transfers: outflows.filter((item) => item.type === 'transfer'),
  swaps: outflows.filter((item) => item.type === 'swap'),
});

const toWallet = ([address, items]: readonly [Address, readonly Inflow[]]): WalletDestination => ({
  ...{ type: 'wallet', address },
  ...toStream(items),
});

const byAmount =
  (direction: Direction) =>
  (a: Destination, b: Destination): number =>
    largestFirst(a, b) || direction.compare(a.first, b.first) || (nameOf(a) < nameOf(b) ? -1 : 1);

/** Whether no other destination can have got more of what left. */
export const isMain = ({ amountRaw }: Pick<Destination, 'amountRaw'>, leftRaw: bigint): boolean =>
  amountRaw * PARTS >= leftRaw * MAJORITY_PARTS;

/** Of payments in the trail's order, at least one. */
export const toStream = (items: readonly Inflow[]): Stream => {
  const carriers: Inflow[] = [];
  for (const item of items) {
    const last = carriers.at(-1);
    if (last !== undefined && compareTransactions(last, item) === 0) {
      carriers[carriers.length - 1] = { ...last, amountRaw: last.amountRaw + item.amountRaw };
    } else {
      const { blockTime, blockNumber, txIndex, amountRaw } = item;
      carriers.push({ blockTime, blockNumber, txIndex, amountRaw });
    }
  }
  const largest = carriers.reduce(larger);
  return { amountRaw: sumOf(items), carriers, first: carriers[0] ?? largest, largest };
};

/** One, or none where nothing was swapped. */
const toSwapDestinations = (items: readonly Extract<Outflow, { type: 'swap' }>[]): SwapDestination[] => {
  const all = items.flatMap(({ swaps }) => swaps);
  const streams = [...Map.groupBy(all, ({ otherAsset }) => otherAsset)].map(([otherAsset, swaps]) => {
    const largestSwap = swaps.reduce(larger);
    const otherRaw = swaps.reduce((sum, swap) => sum + swap.otherRaw, 0n);
    return { otherAsset, otherRaw, amountRaw: sumOf(swaps), firstSwap: swaps[0] ?? largestSwap, largestSwap };
  });
  const [main, ...otherStreams] = streams.sort(largestFirst);
  return main === undefined ? [] : [{ type: 'swap', main, otherStreams, ...toStream(items) }];
};

const nameOf = (destination: Destination): string =>
  destination.type === 'wallet' ? destination.address : '';

/**
 * Leaves out dust that went to an address made to look like one the same wallet paid in earnest. A real sum sent to a
 * look-alike stays: that is the theft.
 */
const withoutLookalikes = (wallets: readonly WalletDestination[]): readonly WalletDestination[] =>
  [...Map.groupBy(wallets, ({ address }) => lookOf(address)).values()].flatMap((alike) => {
    const { amountRaw: mostRaw } = alike.reduce(larger);
    return alike.filter(({ amountRaw }) => amountRaw * PARTS > mostRaw * LOOKALIKE_DUST_PARTS);
  });

/** The characters that an abbreviated address shows. */
const lookOf = (address: Address): string => {
  const shown = address.startsWith('0x') ? address.slice(2) : address;
  return `${shown.slice(0, LOOKALIKE_PREFIX)}…${shown.slice(-LOOKALIKE_SUFFIX)}`;
};

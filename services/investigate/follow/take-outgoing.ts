import type { Address } from '../model/address.ts';
import { type AssetFamily, assetFamily, isListed } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import {
  compareTransactions,
  type Departure,
  type SwapOut,
  type TransactionPosition,
  type TransferOut,
} from '../model/transfer-reader.ts';
import type { Arrival, Outgoing } from './outgoing.ts';

export type TakeContext = {
  readonly chain: Chain;
  readonly wallet: Address;
  readonly family: AssetFamily;
  /** In the chain's order; null at the start of a trail, where everything that left counts. */
  readonly arrivals: readonly Arrival[] | null;
};

/** Fed with departures in order, it keeps those that carried the money. */
export type OutgoingTaker = {
  /** True when all that arrived has left: later departures cannot have carried it. */
  readonly take: (departure: Departure) => boolean;
  readonly outgoing: readonly Outgoing[];
};

/**
 * Outflows count in time order, until they sum to what arrived, and each only while some of what had arrived by then was
 * still there. They count whole: the last may carry more than what was left, because it carried that too.
 *
 * An arrival counts from the beginning of its transaction. Contracts pay out within the transaction that pays them, and
 * the order of logs and value frames inside it says little about what paid for what.
 */
export const createOutgoingTaker = (context: TakeContext): OutgoingTaker => {
  const outgoing: Outgoing[] = [];
  const purse = createPurse(context.arrivals);
  let swapTransaction: TransactionPosition | null = null;
  let swaps: SwapOut[] = [];

  const take = (departure: Departure): boolean => {
    const ofSwap = swapTransaction !== null && compareTransactions(swapTransaction, departure) === 0;
    if (ofSwap) {
      // Whatever the wallet sent in that transaction was its side of the swap.
      if (departure.type === 'swap') swaps.push(departure);
      return false;
    }
    if (purse.isSpent()) return true;
    if (!carriesMoney(departure, context)) return false;
    const amountRaw = departure.type === 'swap' ? departure.gaveRaw : departure.amountRaw;
    if (!purse.spend(departure, amountRaw)) return false;
    const { blockTime, blockNumber, txIndex } = departure;
    const common = { blockTime, blockNumber, txIndex, amountRaw };
    if (departure.type === 'transfer') {
      outgoing.push({ ...common, type: 'transfer', to: departure.to });
    } else {
      swapTransaction = departure;
      swaps = [departure];
      outgoing.push({ ...common, type: 'swap', swaps });
    }
    return false;
  };
  return { take, outgoing };
};

type Purse = {
  readonly isSpent: () => boolean;
  /** Takes what it can of the amount; false when nothing that had arrived by then is left. */
  readonly spend: (at: TransactionPosition, amountRaw: bigint) => boolean;
};

const createPurse = (arrivals: readonly Arrival[] | null): Purse => {
  if (arrivals === null) return { isSpent: () => false, spend: () => true };
  let next = 0;
  let availableRaw = 0n;
  return {
    isSpent: () => next >= arrivals.length && availableRaw === 0n,
    spend: (at, amountRaw) => {
      for (let arrival = arrivals[next]; arrival !== undefined; arrival = arrivals[next]) {
        if (compareTransactions(arrival, at) > 0) break;
        availableRaw += arrival.amountRaw;
        next += 1;
      }
      if (availableRaw === 0n) return false;
      availableRaw = amountRaw < availableRaw ? availableRaw - amountRaw : 0n;
      return true;
    },
  };
};

const carriesMoney = (departure: Departure, context: TakeContext): boolean =>
  departure.type === 'swap'
    ? departure.gaveRaw > 0n && assetFamily(context.chain, departure.gotAsset) !== context.family
    : isHandOver(departure, context);

const isHandOver = ({ to, amountRaw }: TransferOut, { chain, wallet, family }: TakeContext): boolean => {
  if (amountRaw <= 0n || to === wallet) return false;
  // Wrapping: the coin comes back at once as a token of the same worth. (A token sent to its own contract is lost.)
  return !(family === NATIVE && to === chain.wrappedNative);
};

/**
 * Any EVM contract can log a transfer that never was, from anybody. Only a contract known to be honest, or the wallet's
 * own transaction, makes it this wallet's doing. Solana's token programs cannot be made to record a false transfer.
 */
export const mayLogFalsely = (chain: Chain, family: AssetFamily): boolean =>
  chain.family === 'evm' && !isListed(chain, family);

import type { Address } from '../../model/address.ts';
import { addRaw } from '../../model/amount.ts';
import { type SwapFlow, type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';
import { DUST_OF_ARRIVED } from '../rules.ts';

/** Money of the followed asset that reached a wallet with one transaction. */
export type Inflow = TransactionPosition & {
  readonly amountRaw: bigint;
  /** Probability relative to the likeliest lot; 1 by default. Only graphs set it. */
  readonly chance?: number;
};

export const chanceOf = ({ chance = 1 }: Pick<Inflow, 'chance'>): number => chance;

/** Rounded to millionths. */
export const partOf = (amountRaw: bigint, part: number): bigint =>
  part === 1 ? amountRaw : (amountRaw * BigInt(Math.round(part * 1e6))) / 1_000_000n;

/** A payment: a transfer, or everything that one transaction gave away in swaps. */
export type Outflow = Inflow &
  (
    | { readonly type: 'transfer'; readonly to: Address }
    /** One swap for each asset that came back; each was given the whole amount. Never empty. */
    | { readonly type: 'swap'; readonly swaps: readonly SwapFlow[] }
  );

/** By `transactionKey`. */
export const sumByTransaction = (arrivals: readonly Inflow[]): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>();
  for (const arrival of arrivals) addRaw(sums, transactionKey(arrival), arrival.amountRaw);
  return sums;
};

/** The money that is followed at a wallet: all that has been brought to it, as far as that is known. */
export type Stake = {
  /**
   * The inflows, which accounting calls lots, in the trail's order. Empty where nothing is known of what came: all that left counts then,
   * or nothing was paid.
   */
  readonly lots: readonly Inflow[];
  /**
   * Who says so. `caller`: how much there was in that second, but not who had brought it. `unknown`: the start, where no amount was
   * named and everything that left counts.
   */
  readonly source: 'chain' | 'caller' | 'unknown';
};

export const EVERYTHING: Stake = { lots: [], source: 'unknown' };

/** `lots` as recorded on the chain. */
export const paidIn = (lots: readonly Inflow[]): Stake => ({ lots, source: 'chain' });

/** Too little compared with what arrived to tell whose money moved. */
export const isDust = ({ amountRaw }: Pick<Inflow, 'amountRaw'>, arrivedRaw: bigint): boolean =>
  amountRaw * DUST_OF_ARRIVED < arrivedRaw;

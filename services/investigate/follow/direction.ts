import type { Address } from '../model/address.ts';
import { compareTransactions, type TransactionPosition } from '../model/transfer-reader.ts';
import { PARTS, PASSAGE_FEE_MAX_PARTS } from './rules.ts';

/** Negative when `a` comes first on the way of the trail. */
export type CompareOnTrail = (a: TransactionPosition, b: TransactionPosition) => number;
export type FlowSide = 'departures' | 'arrivals';

/**
 * Everything that depends on which way money is followed. The words are those of a trail forward. Backward, time runs the other way:
 * what "arrived" in a wallet is what is known to have left it, what "left" is what had reached it before, and a destination is a source.
 */
export type Direction = {
  readonly compare: CompareOnTrail;
  /** The side of a wallet's rows on the trail's way, and the opposite side. */
  readonly onward: FlowSide;
  readonly counter: FlowSide;
  readonly payerOf: (paid: Paid) => Address;
  readonly payeeOf: (paid: Paid) => Address;
  /** Whether what left equals what arrived, except for a fee that was kept. */
  readonly equalsWithinFee: (leftRaw: bigint, arrivedRaw: bigint) => boolean;
};

type Paid = { readonly from: Address; readonly to: Address };

const equalsWithinFee = (paidRaw: bigint, cameRaw: bigint): boolean =>
  paidRaw <= cameRaw && paidRaw * PARTS >= cameRaw * (PARTS - PASSAGE_FEE_MAX_PARTS);

export const FORWARD: Direction = {
  ...{ compare: compareTransactions, onward: 'departures', counter: 'arrivals', equalsWithinFee },
  ...{ payerOf: ({ from }) => from, payeeOf: ({ to }) => to },
};

export const BACKWARD: Direction = {
  ...{ onward: 'arrivals', counter: 'departures', payerOf: ({ to }) => to, payeeOf: ({ from }) => from },
  compare: (a, b) => compareTransactions(b, a),
  equalsWithinFee: (leftRaw, arrivedRaw) => equalsWithinFee(arrivedRaw, leftRaw),
};

export const directionOf = (backward: boolean): Direction => (backward ? BACKWARD : FORWARD);

import type { Address } from '../../model/address.ts';
import type { CanonicalAsset } from '../../model/asset.ts';
import type { Chain } from '../../model/chain.ts';
import { type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';
import { type Attribution, isLikely, NO_ATTRIBUTION } from '../attribution/attribute-outflows.ts';
import type { CompareOnTrail, Direction } from '../direction.ts';
import { MOVED_ON_MIN_PARTS, PARTS, UNAMBIGUOUS_PAYMENTS_MAX } from '../rules.ts';
import { createChanceOfPiece } from './chance-of-piece.ts';
import { chanceOf, type Inflow, type Outflow, partOf, type Stake } from './inflow.ts';

export type Allocation = {
  readonly chain: Chain;
  readonly wallet: Address;
  readonly canonicalAsset: CanonicalAsset;
  readonly stake: Stake;
  readonly direction: Direction;
};

/** Fed with payments in the trail's order, it keeps those that carried the money. */
export type FifoAllocator = {
  readonly take: (payment: Outflow) => void;
  /** All that arrived has left by now: later payments cannot have carried it. */
  readonly isOver: () => boolean;
  /** Nothing left, or the first few payments sum to what had arrived (less a fee) and no other single payment is as large. */
  readonly isUnambiguous: () => boolean;
  readonly outflows: readonly Outflow[];
  /** Payments that did not count. A whole flow follows these too, as far as they are likely. */
  readonly notCounted: readonly MarkedOutflow[];
};

/** `isBeyond`: the sum of what arrived had left without it. */
export type MarkedOutflow = Outflow & { readonly isBeyond: boolean };

/**
 * Payments count in time order, until they sum to what arrived, and each only while some of what had arrived by then was still there.
 * - They count whole: the last may carry more than what was left, because it carried that too. In the transaction that brought the
 *   money it does not: a contract may pay out there what others put in beside.
 * - A payment that is probably somebody else's does not count. A doubtful one reserves only amount × (1 − that probability).
 * - A payment larger than what is left counts only where nothing else explains it: no later payment is clearly the money, others had
 *   not brought enough for it, and more than change is left even if every payment before it was the money.
 *
 * An arrival counts from the beginning of its transaction. Contracts pay out within the transaction that pays them, and
 * the order of logs and value frames inside it says little about what paid for what.
 */
export const createFifoAllocator = (
  allocation: Allocation,
  passages: Attribution = NO_ATTRIBUTION,
): FifoAllocator => {
  const outflows: Outflow[] = [];
  const notCounted: MarkedOutflow[] = [];
  const { carriedRaw, isOver, isSpentBefore, followed } = createCarrying(allocation, passages);
  let sumRaw = 0n;
  let hasSkipped = false;
  let isMixed = false;
  let counted = 0;
  let hasAnother = false;
  const isPassage = (leftRaw = sumRaw): boolean =>
    allocation.direction.equalsWithinFee(leftRaw, followed.cameRaw());
  const chanceOfPiece = createChanceOfPiece(allocation.stake.lots, allocation.direction.compare);
  const take = (unweighed: Outflow): void => {
    const chance = passages.ownChances.get(unweighed) ?? chanceOfPiece(unweighed);
    const payment = chance === 1 ? unweighed : { ...unweighed, chance };
    if (isSpentBefore(unweighed)) {
      // Somebody who brought the same amount may have got it back with this one.
      hasAnother ||= isPassage(payment.amountRaw);
      notCounted.push({ ...payment, isBeyond: true });
      return;
    }
    const isThere = followed.availableAt(payment) > 0n;
    const isStrangers = isLikely(passages.commingledChances.get(unweighed));
    const amountRaw = isStrangers ? 0n : carriedRaw(unweighed, chance);
    if (amountRaw === 0n) {
      notCounted.push({ ...payment, isBeyond: !isStrangers });
      hasSkipped ||= isThere;
      return;
    }
    outflows.push({ ...payment, amountRaw });
    if (!isPassage()) {
      isMixed ||= hasSkipped;
      counted += 1;
    }
    sumRaw += amountRaw;
  };
  const isUnambiguous = (): boolean =>
    outflows.length === 0 || (!isMixed && !hasAnother && counted <= UNAMBIGUOUS_PAYMENTS_MAX && isPassage());
  return { take, isOver, isUnambiguous, outflows, notCounted };
};

export const allocateAll = (allocator: FifoAllocator, payments: readonly Outflow[]): void =>
  payments.forEach(allocator.take);

type Carrying = {
  /** The part of a payment that counts; 0 if it carried none of the money. Call it once per payment, in order. */
  readonly carriedRaw: (payment: Outflow, chance: number) => bigint;
  readonly isOver: () => boolean;
  /** All money had left before: at most change remains, or the payment is not in doubt. */
  readonly isSpentBefore: (payment: Outflow) => boolean;
  readonly followed: LotQueue;
};

const createCarrying = (
  { stake: { lots, source }, direction }: Allocation,
  { own, commingledChances, unmatchedReceipts }: Attribution,
): Carrying => {
  const compare = direction.compare;
  const followed = createLotQueue(lots, compare);
  const never = () => false;
  if (source === 'unknown')
    return { carriedRaw: ({ amountRaw }) => amountRaw, followed, isOver: never, isSpentBefore: never };
  const arrivalKeys = new Set(lots.map(transactionKey));
  /** The same, as if every payment that counted were entirely the money. */
  const undoubted = createLotQueue(lots, compare);
  const others = createLotQueue(unmatchedReceipts, compare);
  const isSure = lots.every((lot) => chanceOf(lot) === 1);
  let ownToCome = own.size;
  /** A payment is larger than what is left: whether it may be partly the followed money. */
  const mayExceed = (amountRaw: bigint, othersRaw: bigint): boolean => {
    if (othersRaw < amountRaw) return ownToCome === 0 && !undoubted.isChange();
    others.spend(amountRaw);
    return false;
  };
  const carriedRaw = (payment: Outflow, chance: number): bigint => {
    const { amountRaw } = payment;
    const leftRaw = followed.availableAt(payment);
    undoubted.availableAt(payment);
    const othersRaw = others.availableAt(payment);
    const isOwn = own.has(payment);
    if (isOwn) ownToCome -= 1;
    if (leftRaw === 0n) return 0n;
    if (amountRaw > leftRaw && !isOwn && !mayExceed(amountRaw, othersRaw)) return 0n;
    followed.spend(partOf(amountRaw, isOwn && isSure ? 1 : chance));
    undoubted.spend(amountRaw);
    return amountRaw > leftRaw && arrivalKeys.has(transactionKey(payment)) ? leftRaw : amountRaw;
  };
  const isSpentBefore = (payment: Outflow): boolean =>
    undoubted.isEmpty() && (followed.isChange() || !commingledChances.has(payment));
  return { carriedRaw, isOver: undoubted.isEmpty, isSpentBefore, followed };
};

/** Money that comes to a wallet piece by piece, and is spent. Pieces and calls are in the trail's order. */
type LotQueue = {
  /** What has come by then and is not spent. */
  readonly availableAt: (position: TransactionPosition) => bigint;
  /** All that had come by the last call of `availableAt`. */
  readonly cameRaw: () => bigint;
  /** Spends at most what is available. */
  readonly spend: (amountRaw: bigint) => void;
  /** What is left of all that has come by now is no more than fees and dust. */
  readonly isChange: () => boolean;
  /** Nothing is left, and nothing more will come. */
  readonly isEmpty: () => boolean;
};

const createLotQueue = (pieces: readonly Inflow[], compare: CompareOnTrail): LotQueue => {
  let next = 0;
  let cameRaw = 0n;
  let availableRaw = 0n;
  return {
    availableAt: (position) => {
      for (let piece = pieces[next]; piece && compare(piece, position) <= 0; piece = pieces[next]) {
        const pieceRaw = partOf(piece.amountRaw, chanceOf(piece));
        cameRaw += pieceRaw;
        availableRaw += pieceRaw;
        next += 1;
      }
      return availableRaw;
    },
    cameRaw: () => cameRaw,
    spend: (amountRaw) => {
      availableRaw = amountRaw < availableRaw ? availableRaw - amountRaw : 0n;
    },
    isChange: () => availableRaw * PARTS < cameRaw * MOVED_ON_MIN_PARTS,
    isEmpty: () => next >= pieces.length && availableRaw === 0n,
  };
};

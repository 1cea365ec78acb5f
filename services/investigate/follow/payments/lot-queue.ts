import type { TransactionPosition } from '../../model/transfer-reader.ts';
import type { CompareOnTrail } from '../direction.ts';
import { chanceOf, type Inflow, partOf } from './inflow.ts';

/** Money that comes to a wallet piece by piece, in the trail's order, and is spent. Asked in that order too. */
export type LotQueue = {
  /** What has come by then and is not spent. */
  readonly availableAt: (at: TransactionPosition) => bigint;
  /** All that has come by what was asked last. */
  readonly cameRaw: () => bigint;
  /** Of what is available, as much as there is. */
  readonly spend: (amountRaw: bigint) => void;
  /** Less than a part of all that has come by now is left. */
  readonly isBelow: (part: { readonly part: bigint; readonly of: bigint }) => boolean;
  /** Nothing is left, and nothing more will come. */
  readonly isEmpty: () => boolean;
};

export const createLotQueue = (pieces: readonly Inflow[], compare: CompareOnTrail): LotQueue => {
  let next = 0;
  let cameRaw = 0n;
  let availableRaw = 0n;
  return {
    availableAt: (at) => {
      for (let piece = pieces[next]; piece !== undefined; piece = pieces[next]) {
        if (compare(piece, at) > 0) break;
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
    isBelow: ({ part, of }) => availableRaw * of < cameRaw * part,
    isEmpty: () => next >= pieces.length && availableRaw === 0n,
  };
};

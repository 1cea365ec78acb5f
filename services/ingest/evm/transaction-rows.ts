import { type Movement, type MovementKind, NATIVE } from '../../investigate/model/movement.ts';
import { BlockFormatError } from '../block-format-error.ts';

const AMOUNT_END = 2n ** 256n;

/** The rows of one transaction (or of the block itself) while they are being found; numbers them from 0. */
export class TransactionRows {
  readonly movements: Movement[] = [];
  readonly txIndex: number | null;

  constructor(txIndex: number | null) {
    this.txIndex = txIndex;
  }

  add(
    kind: MovementKind,
    from: string | null,
    to: string | null,
    asset: string,
    amountRaw: bigint,
    authority: string | null,
  ): void {
    const index = this.movements.length;
    this.movements.push({ txIndex: this.txIndex, index, kind, from, to, asset, amountRaw, authority });
  }

  /** A movement of the coin. Without an amount it is none. Throws `BlockFormatError` where no 256 bits could hold it. */
  addNative(kind: MovementKind, from: string | null, to: string | null, weiRaw: bigint): void {
    if (weiRaw >= AMOUNT_END)
      throw new BlockFormatError('field_malformed', `a ${kind} has more than 256 bits`);
    if (weiRaw > 0n) this.add(kind, from, to, NATIVE, weiRaw, null);
  }
}

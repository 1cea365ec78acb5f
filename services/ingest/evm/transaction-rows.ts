import { type Movement, type MovementKind, NATIVE } from '../../investigate/model/movement.ts';

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

  /** A movement of the coin. Without an amount it is none. */
  addNative(kind: MovementKind, from: string | null, to: string | null, weiRaw: bigint): void {
    if (weiRaw > 0n) this.add(kind, from, to, NATIVE, weiRaw, null);
  }
}

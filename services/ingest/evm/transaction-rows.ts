import { type Movement, type MovementKind, NATIVE } from '../../investigate/model/movement.ts';
import { BlockFormatError } from '../block-format-error.ts';
import type { ChainRules } from './chain-rules.ts';

/** The rows of one transaction (or of the block itself) while they are being found; numbers them from 0. */
export class TransactionRows {
  readonly movements: Movement[] = [];
  readonly txIndex: number | null;
  readonly #supplyMaxRaw: bigint;

  constructor(txIndex: number | null, { supplyMaxRaw }: Pick<ChainRules, 'supplyMaxRaw'>) {
    this.txIndex = txIndex;
    this.#supplyMaxRaw = supplyMaxRaw;
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

  /** Whether there are so many coins. */
  exists(weiRaw: bigint): boolean {
    return weiRaw <= this.#supplyMaxRaw;
  }

  /** A movement of the coin. Without an amount it is none. Throws `BlockFormatError` where there are not so many. */
  addNative(kind: MovementKind, from: string | null, to: string | null, weiRaw: bigint): void {
    if (!this.exists(weiRaw))
      throw new BlockFormatError('field_malformed', `a ${kind} has more coins than there are`);
    if (weiRaw > 0n) this.add(kind, from, to, NATIVE, weiRaw, null);
  }
}

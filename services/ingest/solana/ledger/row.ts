import type { MovementKind } from '../../../investigate/model/movement.ts';

/**
 * A movement while its transaction is still being replayed. Lamport rows name accounts by index, because whether an
 * account is a token account, and whose, may only be known after a later instruction.
 */
export type Row = {
  kind: MovementKind;
  /** Party; null for nobody, or where `fromIndex` says it. */
  from: string | null;
  to: string | null;
  /** null: moved by a token instruction that does not name the mint. */
  asset: string | null;
  amountRaw: bigint;
  authority: string | null;
  /** Account index, or −1. */
  readonly fromIndex: number;
  readonly toIndex: number;
  readonly isLamports: boolean;
  /** Lamports leaving wrapped SOL: no row when they stay with the same party. */
  readonly isUnwrap: boolean;
  /** Part of the lamports that a wrapped-SOL account took up as its amount, and whose they became. */
  wrappedRaw: bigint;
  wrappedBy: string | null;
  /** Part of the lamports that lay at an address when a token account was opened there. */
  fundedRaw: bigint;
  /** Part that lies in a token account beyond its rent, and whose it is: where not taken up as wrapped, that of `spareOf`. */
  spareRaw: bigint;
  spareOf: string | null;
  /** Token-2022 fee kept back from the receiver. */
  withheldRaw: bigint;
  /** A transfer of Token-2022 whose instruction does not name that fee. */
  hidesFee: boolean;
};

const newRow = (
  kind: MovementKind,
  from: string | null,
  to: string | null,
  asset: string | null,
  amountRaw: bigint,
  authority: string | null,
  fromIndex: number,
  toIndex: number,
  isLamports: boolean,
  isUnwrap: boolean,
): Row => ({
  kind,
  from,
  to,
  asset,
  amountRaw,
  authority,
  fromIndex,
  toIndex,
  isLamports,
  isUnwrap,
  wrappedRaw: 0n,
  wrappedBy: null,
  fundedRaw: 0n,
  spareRaw: 0n,
  spareOf: null,
  withheldRaw: 0n,
  hidesFee: false,
});

/** Lamports into the account `toIndex`: from the account `fromIndex`, or from a party (null: nobody) where that is −1. */
export const lamportRow = (
  kind: MovementKind,
  from: string | null,
  fromIndex: number,
  toIndex: number,
  amountRaw: bigint,
  authority: string | null = null,
  isUnwrap = false,
): Row => newRow(kind, from, null, null, amountRaw, authority, fromIndex, toIndex, true, isUnwrap);

/** Of a token, or of lamports between parties that are known. */
export const tokenRow = (
  kind: MovementKind,
  from: string | null,
  to: string | null,
  asset: string | null,
  amountRaw: bigint,
  authority: string | null = null,
  fromIndex = -1,
  toIndex = -1,
): Row => newRow(kind, from, to, asset, amountRaw, authority, fromIndex, toIndex, false, false);

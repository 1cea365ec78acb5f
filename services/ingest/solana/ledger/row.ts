import type { MovementKind } from '../../../investigate/model/movement.ts';

/**
 * A movement during the replay. Lamport rows name accounts by index, because a later instruction may reveal
 * whether an account is a token account, and whose.
 */
export type Row = {
  kind: MovementKind;
  /** Party; null for nobody, or if `fromIndex` says it. */
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
  /** Lamports leaving wrapped SOL: no row if they stay with the same party. */
  readonly isUnwrap: boolean;
  /** The part that a wrapped-SOL account counted as its amount, and its new owner. */
  wrappedRaw: bigint;
  wrappedBy: string | null;
  /** The part that lay at the address when a token account was opened there. */
  fundedRaw: bigint;
  /** The part beyond a token account's rent, and its owner; if it was not wrapped, `spareOf`'s. */
  spareRaw: bigint;
  spareOf: string | null;
  /** The withheld Token-2022 fee of the receiver. */
  withheldRaw: bigint;
  /** A Token-2022 transfer whose instruction does not name that fee. */
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

/** Lamports into account `toIndex`: from account `fromIndex`, or, if that is −1, from a party (null: nobody). */
export const lamportRow = (
  kind: MovementKind,
  from: string | null,
  fromIndex: number,
  toIndex: number,
  amountRaw: bigint,
  authority: string | null = null,
  isUnwrap = false,
): Row => newRow(kind, from, null, null, amountRaw, authority, fromIndex, toIndex, true, isUnwrap);

/** A token row, or lamports between known parties. */
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

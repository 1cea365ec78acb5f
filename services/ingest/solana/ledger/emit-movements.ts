import { type Movement, type MovementKind, NATIVE } from '../../../investigate/model/movement.ts';
import { checkedAddress } from '../encoding/checked-address.ts';
import { smallerAmount } from '../encoding/exact-integer.ts';
import { TransactionFormatError } from '../transaction-format-error.ts';
import type { Ledger } from './ledger.ts';
import type { Row } from './row.ts';
import { wasOpen } from './token-account.ts';

/**
 * Appends the movements of a replayed transaction. @throws TransactionFormatError if a party is no address, or an
 * amount is negative
 */
export const emitMovements = (ledger: Ledger, txIndex: number, out: Movement[]): void => {
  const emit: Emit = (kind, from, to, asset, amountRaw, authority) => {
    if (amountRaw < 0n)
      throw new TransactionFormatError('negative_amount', `a ${kind} of ${amountRaw} would be negative`);
    if (from !== null) checkedAddress(from);
    if (to !== null) checkedAddress(to);
    if (authority !== null) checkedAddress(authority);
    if (asset !== NATIVE) checkedAddress(asset);
    out.push({ txIndex, index: out.length, kind, from, to, asset, amountRaw, authority });
  };
  // By row: the first movement that it gave or that followed it.
  const places: number[] | null = ledger.bridgeCalls.length > 0 ? [] : null;
  for (let position = 0; position < ledger.rows.length; position++) {
    const row = ledger.rows[position];
    if (row === undefined) continue;
    places?.push(out.length);
    if (row.isLamports) emitLamports(ledger, row, position, emit);
    else if (row.asset !== null) {
      const received = row.amountRaw - row.withheldRaw;
      emit(row.kind, row.from, row.to, row.asset, received, row.authority);
      if (row.withheldRaw > 0n) emit('fee', row.from, null, row.asset, row.withheldRaw, row.authority);
    }
  }
  for (const call of ledger.bridgeCalls) {
    call.place = places?.[call.row] ?? out.length;
    call.placeEnd = places?.[call.rowEnd] ?? out.length;
  }
};

type Emit = (
  kind: MovementKind,
  from: string | null,
  to: string | null,
  asset: string,
  amountRaw: bigint,
  authority: string | null,
) => void;

/** Only now the token accounts are known: lamports to or from those are wrapped, spare, or rent. */
const emitLamports = (ledger: Ledger, row: Row, position: number, emit: Emit): void => {
  const { fromIndex, toIndex } = row;
  const from =
    fromIndex < 0 ? row.from : isToken(ledger, fromIndex, position) ? null : ledger.keys.at(fromIndex);
  if (isToken(ledger, toIndex, position)) {
    emitFunded(row, from, row.amountRaw, emit);
    return;
  }
  const plain = row.amountRaw - row.fundedRaw;
  if (plain > 0n || row.fundedRaw === 0n) emitPlain(row, from, ledger.keys.at(toIndex), plain, emit);
  if (row.fundedRaw > 0n) emitFunded(row, from, row.fundedRaw, emit);
};

const emitPlain = (row: Row, from: string | null, to: string, amountRaw: bigint, emit: Emit): void => {
  if (row.isUnwrap && from === to) return;
  if (from !== null) emit(row.kind, from, to, NATIVE, amountRaw, row.authority);
  else if (amountRaw > 0n) emit('rent', null, to, NATIVE, amountRaw, null);
};

const isToken = ({ tokens }: Ledger, index: number, position: number): boolean => {
  const token = tokens[index];
  return token !== undefined && wasOpen(token, position);
};

/** The part of the lamports that entered a token account. */
const emitFunded = (row: Row, from: string | null, fundedRaw: bigint, emit: Emit): void => {
  const { wrappedRaw, wrappedBy, spareOf } = row;
  const authority = from === null ? null : row.authority;
  if (wrappedRaw > 0n && from !== wrappedBy)
    emit(from === null ? 'rent' : row.kind, from, wrappedBy, NATIVE, wrappedRaw, authority);
  const rest = fundedRaw - wrappedRaw;
  if (rest === 0n || from === null) return;
  const spare = from === spareOf ? 0n : smallerAmount(row.spareRaw, rest);
  if (spare > 0n) emit(row.kind, from, spareOf, NATIVE, spare, authority);
  if (rest > spare) emit('rent', from, null, NATIVE, rest - spare, null);
  // No balance of the owner counts it, so it is locked like rent.
  if (spare > 0n) emit('rent', spareOf, null, NATIVE, spare, null);
};

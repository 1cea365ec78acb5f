import { type Movement, type MovementKind, NATIVE } from '../../investigate/model/movement.ts';
import { checkedAddress } from './checked-address.ts';
import type { Ledger } from './ledger.ts';
import type { Row } from './row.ts';
import { TransactionFormatError } from './transaction-format-error.ts';

/**
 * Appends the movements of a replayed transaction, numbered from `firstIndex`; returns how many there are then.
 * @throws TransactionFormatError where the transaction told of a party that is no address, or of less than nothing
 */
export const emitMovements = (
  ledger: Ledger,
  txIndex: number,
  out: Movement[],
  firstIndex: number,
): number => {
  let index = firstIndex;
  const emit: Emit = (kind, from, to, asset, amountRaw, authority) => {
    if (amountRaw < 0n)
      throw new TransactionFormatError('negative_amount', `a ${kind} of ${amountRaw} would be negative`);
    if (from !== null) checkedAddress(from);
    if (to !== null) checkedAddress(to);
    if (authority !== null) checkedAddress(authority);
    if (asset !== NATIVE) checkedAddress(asset);
    out.push({ txIndex, index, kind, from, to, asset, amountRaw, authority });
    index++;
  };
  for (const row of ledger.rows) {
    if (row.isLamports) emitLamports(ledger, row, emit);
    else if (row.asset !== null) {
      const received = row.amountRaw - row.withheldRaw;
      emit(row.kind, row.from, row.to, row.asset, received, row.authority);
      if (row.withheldRaw > 0n) emit('fee', row.from, null, row.asset, row.withheldRaw, row.authority);
    }
  }
  return index;
};

type Emit = (
  kind: MovementKind,
  from: string | null,
  to: string | null,
  asset: string,
  amountRaw: bigint,
  authority: string | null,
) => void;

/** Only now it is known which accounts are token accounts: lamports to or from those are wrapped, or rent. */
const emitLamports = (ledger: Ledger, row: Row, emit: Emit): void => {
  const { fromIndex, toIndex, amountRaw, wrappedRaw, authority } = row;
  const isFromToken = fromIndex >= 0 && ledger.tokens[fromIndex] !== undefined;
  const from = fromIndex < 0 ? row.from : isFromToken ? null : ledger.keys.at(fromIndex);
  const target = ledger.tokens[toIndex];
  if (target === undefined) {
    const to = ledger.keys.at(toIndex);
    if (row.isUnwrap && from === to) return;
    if (from !== null) emit(row.kind, from, to, NATIVE, amountRaw, authority);
    else if (amountRaw > 0n) emit('rent', null, to, NATIVE, amountRaw, null);
    return;
  }
  if (wrappedRaw > 0n && from !== row.wrappedBy)
    emit(
      from === null ? 'rent' : row.kind,
      from,
      row.wrappedBy,
      NATIVE,
      wrappedRaw,
      from === null ? null : authority,
    );
  const locked = amountRaw - wrappedRaw;
  if (locked > 0n && from !== null) emit('rent', from, null, NATIVE, locked, null);
};

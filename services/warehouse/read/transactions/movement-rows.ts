import type { PlacedMovement } from '../../../investigate/model/case-reader.ts';
import type { MovementKind } from '../../../investigate/model/movement.ts';
import { toPosition } from './places.ts';

/** Columns of `transfers` that make a movement. */
export const MOVEMENT_COLUMNS = `toUnixTimestamp(block_time), block_number, tx_index, tx_hash, sender, kind,
  from_address, to_address, asset_family, amount, authority`;

export type MovementRow = readonly [
  time: number,
  block: string,
  tx: number,
  hash: string,
  sender: string,
  kind: MovementKind,
  from: string,
  to: string,
  canonicalAsset: string,
  amount: string,
  authority: string,
];

export const toMovement = (row: MovementRow): PlacedMovement => {
  const [time, block, tx, hash, sender, kind, from, to, canonicalAsset, amount, authority] = row;
  return {
    ...toPosition(time, block, tx),
    hash,
    sender,
    kind,
    canonicalAsset,
    from: orNull(from),
    to: orNull(to),
    amountRaw: BigInt(amount),
    authority: orNull(authority),
  };
};

const orNull = (address: string): string | null => (address === '' ? null : address);

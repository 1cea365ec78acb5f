import type { CaseReader, PlacedMovement } from '../../../investigate/model/case-reader.ts';
import type { MovementKind } from '../../../investigate/model/movement.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../clauses/visible-rows.ts';
import { askTables, READ_AT_ONCE } from '../ask-tables.ts';
import { PLACES, toPlaces, toPosition } from '../transactions/places.ts';

const QUERY = `
SELECT toUnixTimestamp(block_time), block_number, tx_index, tx_hash, sender, kind, from_address, to_address,
  asset_family, amount, authority
FROM transfers
WHERE chain = {chain:String} AND (block_number, tx_index) IN ${PLACES} AND ${VISIBLE_ROWS}
ORDER BY block_number, tx_index, index
LIMIT {limit:UInt32}`;

type Row = readonly [
  time: number,
  block: string,
  tx: number,
  hash: string,
  sender: string,
  kind: MovementKind,
  from: string,
  to: string,
  family: string,
  amount: string,
  authority: string,
];

/** One query, a short range of the key for each position: every row of those transactions. */
export const readMovementsAt = async (
  client: WarehouseClient,
  { chain, positions, limit, ...limits }: Parameters<CaseReader['movementsAt']>[0],
): Promise<readonly PlacedMovement[]> => {
  if (positions.length === 0) return [];
  const params = { chain, ...toPlaces(positions), limit };
  const rows = await askTables<Row>(client, { query: QUERY, params, settings: READ_AT_ONCE }, limits);
  return rows.map(([time, block, tx, hash, sender, kind, from, to, family, amount, authority]) => ({
    ...toPosition(time, block, tx),
    ...{ hash, sender, kind, family },
    from: orNull(from),
    to: orNull(to),
    amountRaw: BigInt(amount),
    authority: orNull(authority),
  }));
};

const orNull = (address: string): string | null => (address === '' ? null : address);

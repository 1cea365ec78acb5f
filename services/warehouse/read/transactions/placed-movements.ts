import type { Movement, MovementKind } from '../../../investigate/model/movement.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const ROWS = `
SELECT block_number, toUnixTimestamp(block_time), tx_hash, index, kind, from_address, to_address, asset, amount
FROM transfers
WHERE chain = {chain:String} AND (block_number, tx_index) IN (
    SELECT block_number, tx_index FROM transactions
    WHERE hash_key IN (SELECT cityHash64(arrayJoin({hashes:Array(String)}))) AND chain = {chain:String} AND ${VISIBLE_ROWS}
  ) AND tx_hash IN {hashes:Array(String)} AND ${VISIBLE_ROWS}
ORDER BY block_number, tx_index, index
LIMIT {limit:UInt32}`;

const HASHES = `
SELECT DISTINCT number, hash FROM blocks
WHERE chain = {chain:String} AND number IN {blocks:Array(UInt64)} AND ${VISIBLE_ROWS}`;

type Row = readonly [
  block: string,
  time: number,
  hash: string,
  index: number,
  kind: MovementKind,
  from: string,
  to: string,
  asset: string,
  amount: string,
];

/** A movement with its block, as anybody finds it on the chain. */
export type PlacedMovement = Pick<Movement, 'index' | 'kind' | 'from' | 'to' | 'asset' | 'amountRaw'> & {
  readonly chain: string;
  readonly block: number;
  readonly blockHash: string;
  readonly timeUnixSeconds: number | null;
  readonly transaction: string;
};

/** Every movement of these transactions, with its block's hash, in the chain's order. */
export const readPlacedMovements = async (
  client: WarehouseClient,
  {
    chain,
    hashes,
    limit,
    ...limits
  }: ReadLimits & { readonly chain: string; readonly hashes: readonly string[]; readonly limit: number },
): Promise<PlacedMovement[]> => {
  const rows = await askTables<Row>(client, { query: ROWS, params: { chain, hashes, limit } }, limits);
  const blocks = [...new Set(rows.map(([block]) => Number(block)))];
  const found = await askTables<readonly [string, string]>(
    client,
    { query: HASHES, params: { chain, blocks } },
    limits,
  );
  const hashOf = new Map(found.map(([block, hash]) => [block, hash]));
  return rows.map(([block, time, transaction, index, kind, from, to, asset, amount]) => ({
    ...{ chain, block: Number(block), blockHash: hashOf.get(block) ?? '', timeUnixSeconds: time || null },
    ...{ transaction, index, kind, from: from || null, to: to || null, asset, amountRaw: BigInt(amount) },
  }));
};

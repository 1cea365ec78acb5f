import type { MovementKind } from '../../../investigate/model/movement.ts';
import type { Entry } from '../../../investigate/model/profile-reader.ts';
import type { Direction } from '../../../investigate/model/trace-reader.ts';
import type { WalletRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS_OF_A_RANGE } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

const QUERY = `
SELECT direction, asset_family, toUnixTimestamp(block_time), block_number, tx_index, index, counterparty, amount, kind,
  is_sender, (block_number, tx_index) IN
  (
    SELECT block_number, tx_index FROM swaps
    WHERE chain = {chain:String} AND owner = {wallet:String} AND ${VISIBLE_ROWS_OF_A_RANGE}
  )
FROM account_entries
WHERE chain = {chain:String} AND address = {wallet:String} AND ${VISIBLE_ROWS_OF_A_RANGE}
ORDER BY block_time DESC, block_number DESC, tx_index DESC, index DESC, direction
LIMIT {limit:UInt32}`;

type Row = readonly [
  direction: Direction,
  canonicalAsset: string,
  time: number,
  block: string,
  tx: number,
  index: number,
  counterparty: string,
  amount: string,
  kind: MovementKind,
  isSender: boolean,
  isSwap: number,
];

/** The wallet's newest rows of every kind and asset. One query, the wallet's range of two keys. */
export const readEntries = async (
  client: WarehouseClient,
  { chain, wallet, limit, ...limits }: WalletRequest & { readonly limit: number },
): Promise<readonly Entry[]> => {
  const params = { chain, wallet, limit };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return rows.map(
    ([direction, canonicalAsset, time, block, tx, index, counterparty, amount, kind, isSender, isSwap]) => ({
      ...toPosition(time, block, tx),
      direction,
      canonicalAsset,
      index,
      kind,
      isSender,
      isSwap: isSwap === 1,
      counterparty: counterparty === '' ? null : counterparty,
      amountRaw: BigInt(amount),
    }),
  );
};

import type { CaseReader, Payment } from '../../../investigate/model/case-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { handOvers } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

/** One range of the key with everything that the wallet ever paid. */
const QUERY = `
SELECT toUnixTimestamp(block_time), block_number, tx_index, counterparty, asset_family, amount
FROM account_entries
WHERE ${handOvers('out')} AND counterparty IN {to:Array(String)}
ORDER BY block_time, block_number, tx_index, index
LIMIT {limit:UInt32}`;

type Row = readonly [
  time: number,
  block: string,
  tx: number,
  to: string,
  canonicalAsset: string,
  amount: string,
];

/** What the wallet paid to any of those, earliest first. One query. */
export const readPayments = async (
  client: WarehouseClient,
  { chain, wallet, to, limit, ...limits }: Parameters<CaseReader['payments']>[0],
): Promise<readonly Payment[]> => {
  if (to.length === 0) return [];
  const rows = await askTables<Row>(client, { query: QUERY, params: { chain, wallet, to, limit } }, limits);
  return rows.map(([time, block, tx, payee, canonicalAsset, amount]) => ({
    ...toPosition(time, block, tx),
    to: payee,
    canonicalAsset,
    amountRaw: BigInt(amount),
  }));
};

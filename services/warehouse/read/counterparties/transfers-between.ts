import type { TraceReader } from '../../../investigate/model/trace-reader.ts';
import type { ReadLimits, TransactionPosition } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';
import { ENDS_OF_MANY, endsOf, leastsOf } from './neighbours.ts';

const QUERY = `
SELECT address, toUnixTimestamp(block_time), block_number, tx_index
FROM ${ENDS_OF_MANY} WHERE in_earnest AND counterparty IN {counterparties:Array(String)}
ORDER BY block_time, block_number, tx_index, address
LIMIT {limit:UInt32} BY address`;

type Row = readonly [wallet: string, time: number, block: string, tx: number];

/** Transfers of each wallet with the counterparties that `neighbours` counts, the earliest first. One query. */
export const readTransfersBetween = async (
  client: WarehouseClient,
  of: Parameters<TraceReader['transfersBetween']>[0],
  wallets: readonly string[],
  limits: ReadLimits,
): Promise<readonly (readonly TransactionPosition[])[]> => {
  const { chain, counterparties, direction, canonicalAssets, leastRaw, limit } = of;
  if (wallets.length === 0) return [];
  const sides = wallets.map((wallet) => ({ wallet, direction }));
  const params = { chain, counterparties, ...endsOf(sides, canonicalAssets), ...leastsOf(leastRaw), limit };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  const byWallet = Map.groupBy(rows, ([wallet]) => wallet);
  return wallets.map((wallet) => (byWallet.get(wallet) ?? []).map(([, ...at]) => toPosition(...at)));
};

import type { TraceReader, WalletTimes, WalletTransfer } from '../../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { eachPart, rowsOfEach } from '../each-part.ts';
import { toPosition } from '../transactions/places.ts';

/** The end of one range of the key for each wallet and time, read backwards up to the limit. */
const partOf = (place: number): string => `
SELECT counterparty, amount, toUnixTimestamp(block_time), block_number, tx_index
FROM account_entries
WHERE chain = {chain:String} AND address = {wallets:Array(String)}[${place}] AND direction = {direction:String}
  AND asset_family = {canonicalAsset:String}
  AND block_time BETWEEN toDateTime({froms:Array(UInt32)}[${place}], 'UTC') AND toDateTime({tos:Array(UInt32)}[${place}], 'UTC')
  AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', address)
  AND ${VISIBLE_ROWS}
ORDER BY block_time DESC, block_number DESC, tx_index DESC, index DESC
LIMIT {limit:UInt32}`;

type Row = readonly [counterparty: string, amount: string, time: number, block: string, tx: number];

/** Each wallet's inflows or outflows of an asset between two times, latest first. One query. */
export const readWalletTransfers = async (
  client: WarehouseClient,
  common: Parameters<TraceReader['walletTransfers']>[0],
  asked: readonly WalletTimes[],
  limits: ReadLimits,
): Promise<readonly (readonly WalletTransfer[])[]> => {
  const params = {
    ...common,
    wallets: asked.map(({ wallet }) => wallet),
    froms: asked.map(({ fromUnixSeconds }) => fromUnixSeconds),
    tos: asked.map(({ toUnixSeconds }) => toUnixSeconds),
  };
  const query = eachPart(asked, partOf);
  const rows = await askTables<readonly [at: number, ...Row]>(client, { query, params }, limits);
  return rowsOfEach<Row>(asked, rows).map((of) =>
    of.map(([counterparty, amount, blockTime, block, txIndex]) => ({
      counterparty,
      amountRaw: BigInt(amount),
      ...toPosition(blockTime, block, txIndex),
    })),
  );
};

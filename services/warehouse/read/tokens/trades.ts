import type { Trade } from '../../../investigate/model/token-reader.ts';
import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

const QUERY = `
SELECT toUnixTimestamp(block_time), block_number, tx_index, owner, got_family = {token:String} AS is_buy,
  if(is_buy, got_amount, gave_amount), if(is_buy, gave_family, got_family), if(is_buy, gave_amount, got_amount)
FROM swaps
WHERE chain = {chain:String} AND owner IN {wallets:Array(String)}
  AND (gave_family = {token:String} OR got_family = {token:String}) AND gave_family != got_family AND ${VISIBLE_ROWS}
ORDER BY block_time, block_number, tx_index, index
LIMIT {limit:UInt32} BY owner`;

type Row = readonly [
  time: number,
  block: string,
  tx: number,
  wallet: string,
  isBuy: number,
  token: string,
  otherAsset: string,
  other: string,
];

/** One query, the swaps of each wallet. */
export const readTrades = async (
  client: WarehouseClient,
  common: OnChain & { readonly token: string; readonly limit: number },
  wallets: readonly string[],
  limits: ReadLimits,
): Promise<readonly (readonly Trade[])[]> => {
  const rows = await askTables<Row>(client, { query: QUERY, params: { ...common, wallets } }, limits);
  const byWallet = Map.groupBy(rows.map(toTrade), ({ wallet }) => wallet);
  return wallets.map((wallet) => byWallet.get(wallet) ?? []);
};

const toTrade = ([time, block, tx, wallet, isBuy, tokenRaw, otherAsset, otherRaw]: Row): Trade => ({
  ...toPosition(time, block, tx),
  wallet,
  isBuy: isBuy === 1,
  otherAsset,
  tokenRaw: BigInt(tokenRaw),
  otherRaw: BigInt(otherRaw),
});

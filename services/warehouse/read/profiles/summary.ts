import {
  type AssetSummary,
  SUMMARY_FAMILIES_MAX,
  type WalletSummary,
} from '../../../investigate/model/profile-reader.ts';
import type { WalletRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { exactSum, HAND_OVER_KINDS_LISTED, toExactSum, VISIBLE_ROWS_OF_A_RANGE } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const FROM_WALLET = `
FROM account_entries
WHERE chain = {chain:String} AND address = {wallet:String} AND ${VISIBLE_ROWS_OF_A_RANGE}`;

const IS_TRANSFER = `kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', {wallet:String})`;

const WHOLE = `
SELECT uniqExactIf((block_number, tx_index), tx_index >= 0), uniqExactIf(counterparty, ${IS_TRANSFER}), count(),
  toUnixTimestamp(min(block_time)), toUnixTimestamp(max(block_time))${FROM_WALLET}`;

const ASSETS = `
SELECT asset_family, countIf(direction = 'in' AND ${IS_TRANSFER}), countIf(direction = 'out' AND ${IS_TRANSFER}),
  ${exactSum("direction = 'in'")}, ${exactSum("direction = 'out'")}${FROM_WALLET}
GROUP BY asset_family
ORDER BY asset_family = 'native' DESC, count() DESC, asset_family
LIMIT ${SUMMARY_FAMILIES_MAX}`;

type WholeRow = readonly [
  transactions: string,
  counterparties: string,
  rows: string,
  first: number,
  last: number,
];
type AssetRow = readonly [
  canonicalAsset: string,
  transfersIn: string,
  transfersOut: string,
  inSum: string,
  inUpper: string,
  outSum: string,
  outUpper: string,
];

/** Two parallel queries over the wallet's range of the key. */
export const readSummary = async (
  client: WarehouseClient,
  { chain, wallet, ...limits }: WalletRequest,
): Promise<WalletSummary | null> => {
  const params = { chain, wallet };
  const [[whole], canonicalAssets] = await Promise.all([
    askTables<WholeRow>(client, { query: WHOLE, params }, limits),
    askTables<AssetRow>(client, { query: ASSETS, params }, limits),
  ]);
  if (whole === undefined || whole[2] === '0') return null;
  const [transactions, counterparties, rows, firstUnixSeconds, lastUnixSeconds] = whole;
  return {
    transactions: Number(transactions),
    counterparties: Number(counterparties),
    rows: Number(rows),
    firstUnixSeconds,
    lastUnixSeconds,
    canonicalAssets: canonicalAssets.map(toAssetSummary),
  };
};

const toAssetSummary = ([
  canonicalAsset,
  transfersIn,
  transfersOut,
  inSum,
  inUpper,
  outSum,
  outUpper,
]: AssetRow): AssetSummary => ({
  canonicalAsset,
  in: { transfers: Number(transfersIn), sumRaw: toExactSum(inSum, inUpper) },
  out: { transfers: Number(transfersOut), sumRaw: toExactSum(outSum, outUpper) },
});

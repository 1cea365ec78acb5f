import type {
  FamiliesSentRequest,
  FamilySent,
  TransactionPosition,
} from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from './ask-tables.ts';
import { HAND_OVERS } from './hand-over-clause.ts';

/** A poisoned wallet has thousands of worthless families; the earliest are enough to choose from. */
const FAMILIES_MAX = 10_000;

const QUERY = `
SELECT asset_family,
  min((toUnixTimestamp(block_time), block_number, tx_index)) AS first,
  sum(amount),
  countIf(is_sender),
  minIf((toUnixTimestamp(block_time), block_number, tx_index), is_sender),
  sumIf(amount, is_sender)
FROM account_entries
WHERE ${HAND_OVERS} AND block_time >= toDateTime({since:UInt32}, 'UTC')
GROUP BY asset_family
ORDER BY first
LIMIT {limit:UInt32}`;

type Place = readonly [time: number, block: string, tx: number];
type Row = readonly [
  family: string,
  first: Place,
  sum: string,
  ownRows: string,
  ownFirst: Place,
  ownSum: string,
];

/** One query over what left a wallet, whatever the asset. */
export const readFamiliesSent = async (
  client: WarehouseClient,
  { chain, wallet, sinceUnixSeconds, ...limits }: FamiliesSentRequest,
): Promise<readonly FamilySent[]> => {
  const params = { chain, wallet, since: sinceUnixSeconds, limit: FAMILIES_MAX };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return rows.map(([family, first, sum, ownRows, ownFirst, ownSum]) => ({
    family,
    first: toPosition(first),
    sumRaw: BigInt(sum),
    own: ownRows === '0' ? null : { first: toPosition(ownFirst), sumRaw: BigInt(ownSum) },
  }));
};

const toPosition = ([blockTime, block, txIndex]: Place): TransactionPosition => ({
  blockTime,
  blockNumber: Number(block),
  txIndex,
});

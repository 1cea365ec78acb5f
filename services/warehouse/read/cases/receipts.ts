import type { CaseReader, WithinTime } from '../../../investigate/model/case-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { handOvers, VISIBLE_ROWS_OF_A_RANGE } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { eachPart, rowsOfEach } from '../each-part.ts';
import { toPosition } from '../transactions/places.ts';

const walletAt = (place: number): string => `{wallets:Array(String)}[${place}]`;

/** One range of the key, read whole, because assets come before time in it. */
const partsOf =
  (rowsOf: (wallet: string) => string) =>
  (place: number): string =>
    `
SELECT toUnixTimestamp(block_time) AS time, block_number, tx_index
FROM account_entries
WHERE ${rowsOf(walletAt(place))} AND block_time BETWEEN toDateTime({from:UInt32}, 'UTC') AND toDateTime({to:UInt32}, 'UTC')
GROUP BY time, block_number, tx_index
ORDER BY time, block_number, tx_index
LIMIT {limit:UInt32}`;

const RECEIPTS = partsOf((wallet) => handOvers('in', wallet));

/** The payer of the fee has signed. */
const SIGNED = partsOf(
  (
    wallet,
  ) => `chain = {chain:String} AND address = ${wallet} AND direction = 'out' AND asset_family = 'native'
  AND kind = 'fee' AND is_sender AND ${VISIBLE_ROWS_OF_A_RANGE}`,
);

type Row = readonly [time: number, block: string, tx: number];

const positionsReader =
  (partOf: (place: number) => string) =>
  async (
    client: WarehouseClient,
    { chain, fromUnixSeconds: from, toUnixSeconds: to, limit }: WithinTime,
    wallets: readonly string[],
    limits: ReadLimits,
  ): ReturnType<CaseReader['receipts']> => {
    const question = { query: eachPart(wallets, partOf), params: { chain, wallets, from, to, limit } };
    const rows = await askTables<readonly [at: number, ...Row]>(client, question, limits);
    return rowsOfEach<Row>(wallets, rows).map((of) => of.map((row) => toPosition(...row)));
  };

/** Transactions in which each wallet received something, earliest first. One query. */
export const readReceipts = positionsReader(RECEIPTS);

/** Transactions whose fee each wallet paid, earliest first. One query. */
export const readSigned = positionsReader(SIGNED);

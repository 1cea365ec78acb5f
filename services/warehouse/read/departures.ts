import {
  compareRows,
  type Departure,
  type DeparturePage,
  type DeparturesRequest,
  TRANSFER_STEP,
} from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from './ask-tables.ts';
import { HAND_OVERS } from './hand-over-clause.ts';
import { VISIBLE_ROWS } from './visible-rows.ts';

type Clauses = {
  /** From the middle of a block on, which only the pages after the first need: comparing tuples costs 2 ms. */
  readonly continued: boolean;
  readonly ownOnly: boolean;
};

const since = (continued: boolean, stepFrom: string): string =>
  `AND block_time >= toDateTime({time:UInt32}, 'UTC')${
    continued
      ? ` AND (block_time, block_number, tx_index, index)
      >= (toDateTime({time:UInt32}, 'UTC'), {block:UInt64}, {tx:Int32}, ${stepFrom})`
      : ''
  }`;

/** One short range of its key, in its order, up to the limit. Every column costs a file in every part: few are read. */
const swapsQuery = ({ continued, ownOnly }: Clauses): string => `
SELECT 1 AS is_swap, toUnixTimestamp(block_time) AS time, block_number, tx_index, index,
  through AS other, gave_amount AS left_amount, got_asset
FROM swaps
WHERE chain = {chain:String} AND owner = {wallet:String} AND gave_family = {family:String}
  AND ${VISIBLE_ROWS}
  ${ownOnly ? 'AND sender = {wallet:String}' : ''}
  ${since(continued, '{swap_from:UInt32}')}
ORDER BY block_time, block_number, tx_index, index
LIMIT {limit:UInt32}`;

const transfersQuery = ({ continued, ownOnly }: Clauses): string => `
SELECT 0 AS is_swap, toUnixTimestamp(block_time) AS time, block_number, tx_index, index,
  counterparty AS other, amount AS left_amount, '' AS got_asset
FROM account_entries
WHERE ${HAND_OVERS} AND asset_family = {family:String} ${ownOnly ? 'AND is_sender' : ''}
  ${since(continued, '{transfer_from:UInt32}')}
ORDER BY block_time, block_number, tx_index, index
LIMIT {limit:UInt32}`;

type Row = readonly [
  isSwap: number,
  time: number,
  block: string,
  tx: number,
  index: number,
  other: string,
  leftAmount: string,
  gotAsset: string,
];

/**
 * What a wallet parted with, of one asset family, from a position on. Swaps and transfers are asked for at the same time:
 * as one query with a union they took the time of both.
 */
export const readDepartures = async (
  client: WarehouseClient,
  { chain, wallet, family, ownOnly, from, limit, signal, timeoutMs }: DeparturesRequest,
): Promise<DeparturePage> => {
  const clauses = { continued: from.step > 0, ownOnly };
  const params = {
    chain,
    wallet,
    family,
    limit,
    time: from.blockTime,
    block: from.blockNumber,
    tx: from.txIndex,
    swap_from: from.step,
    transfer_from: Math.max(0, from.step - TRANSFER_STEP),
  };
  const ask = (query: string) => askTables<Row>(client, { query, params }, { signal, timeoutMs });
  const found = await Promise.all([ask(swapsQuery(clauses)), ask(transfersQuery(clauses))]);
  const page = found.flat().map(toDeparture).sort(compareRows).slice(0, limit);
  // The same second may hold rows from before the position.
  const rows = page.filter((row) => compareRows(row, from) >= 0);
  const last = page.at(-1);
  // A half that filled its limit may have more behind it, and then the page is full too.
  if (last === undefined || page.length < limit) return { rows, next: null };
  const { blockTime, blockNumber, txIndex, step } = last;
  return { rows, next: { blockTime, blockNumber, txIndex, step: step + 1 } };
};

const toDeparture = (row: Row): Departure => {
  const [isSwap, blockTime, block, txIndex, index, other, leftAmount, gotAsset] = row;
  const position = { blockTime, blockNumber: Number(block), txIndex };
  const amount = BigInt(leftAmount);
  return isSwap === 0
    ? { ...position, step: TRANSFER_STEP + index, type: 'transfer', to: other, amountRaw: amount }
    : {
        ...position,
        step: index,
        type: 'swap',
        gaveRaw: amount,
        gotAsset,
        through: other === '' ? null : other,
      };
};

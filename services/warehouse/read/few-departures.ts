import { type FlowsRequest, HAND_OVER_KINDS } from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS_OF_A_RANGE } from '../clauses/visible-rows.ts';
import { askTables } from './ask-tables.ts';

// An order, and conditions on what is not in the key, cost the engine a fifth of the question, however few the rows are.
const query = (ownOnly: boolean): string => `
SELECT toUnixTimestamp(block_time), block_number, tx_index, index, counterparty, amount, kind
FROM account_entries
WHERE chain = {chain:String} AND address = {wallet:String} AND direction = 'out' AND asset_family = {family:String}
  AND block_time >= toDateTime({time:UInt32}, 'UTC') ${ownOnly ? 'AND is_sender' : ''}
  AND ${VISIBLE_ROWS_OF_A_RANGE}
LIMIT {limit:UInt32}`;

/** Not some columns first, to leave out rows: hardly any is left out. */
const READ_AT_ONCE = { optimize_move_to_prewhere: 0 } as const;

type Row = readonly [
  time: number,
  block: string,
  tx: number,
  index: number,
  counterparty: string,
  amount: string,
  kind: string,
];

const HAND_OVERS: ReadonlySet<string> = new Set(HAND_OVER_KINDS);

/**
 * One query: all that a wallet handed over since a second, in no order, where its rows since then are fewer than the limit;
 * null where they are not.
 */
export const readFewDepartures = async (
  client: WarehouseClient,
  { chain, wallet, family, ownOnly, from, limit, signal, timeoutMs }: FlowsRequest,
): Promise<readonly Row[] | null> => {
  const params = { chain, wallet, family, limit, time: from.blockTime };
  const question = { query: query(ownOnly), params, settings: READ_AT_ONCE };
  const rows = await askTables<Row>(client, question, { signal, timeoutMs });
  if (rows.length >= limit) return null;
  return rows.filter(
    ([, , , , counterparty, amount, kind]) =>
      HAND_OVERS.has(kind) && amount !== '0' && counterparty !== '' && counterparty !== wallet,
  );
};

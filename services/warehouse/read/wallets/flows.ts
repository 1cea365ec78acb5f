import {
  compareRows,
  compareRowsBackward,
  type Flow,
  type FlowPage,
  TRANSFER_STEP,
} from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { handOvers, VISIBLE_ROWS_OF_A_RANGE } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';
import { type AllowedMoves, type OneWallet, ownOr, toAllowedParams } from './allowed-moves.ts';
import { readFewDepartures } from './few-departures.ts';

/** The differences between reading outflows from a time on and inflows from a time back. */
type SideClauses = {
  readonly direction: 'out' | 'in';
  readonly compare: typeof compareRows;
  readonly after: '>' | '<';
  readonly order: 'ASC' | 'DESC';
  /** A swap's columns: canonical asset and amount on this side, asset and amount on the other. */
  readonly swapped: {
    readonly canonicalAsset: string;
    readonly amount: string;
    readonly other: string;
    readonly otherAmount: string;
  };
};

const OUT: SideClauses = {
  direction: 'out',
  compare: compareRows,
  after: '>',
  order: 'ASC',
  swapped: {
    canonicalAsset: 'gave_family',
    amount: 'gave_amount',
    other: 'got_asset',
    otherAmount: 'got_amount',
  },
};

const IN: SideClauses = {
  direction: 'in',
  compare: compareRowsBackward,
  after: '<',
  order: 'DESC',
  swapped: {
    canonicalAsset: 'got_family',
    amount: 'got_amount',
    other: 'gave_asset',
    otherAmount: 'gave_amount',
  },
};

type FlowClauses = SideClauses & {
  /**
   * A start within a second, which usually only the pages after the first need: comparing tuples costs 2 ms.
   */
  readonly continued: boolean;
  readonly ownOnly: boolean;
  readonly allowed: AllowedMoves;
};

const since = ({ continued, after }: FlowClauses, stepFrom: string): string =>
  `AND block_time ${after}= toDateTime({time:UInt32}, 'UTC')${
    continued
      ? ` AND ((block_time, block_number, tx_index) ${after} (toDateTime({time:UInt32}, 'UTC'), {block:UInt64}, {tx:Int32})
      OR block_number = {block:UInt64} AND tx_index = {tx:Int32} AND index >= ${stepFrom})`
      : ''
  }`;

const inOrder = ({ order }: FlowClauses): string => `
ORDER BY block_time ${order}, block_number ${order}, tx_index ${order}, index
LIMIT {limit:UInt32}`;

/**
 * One short range of its key, in its order, up to the limit. The received asset is not part of the key, so
 * all swaps of the wallet are searched for it. Each column costs a file in every part, so few are read.
 */
const swapsQuery = (clauses: FlowClauses): string => `
SELECT 1 AS is_swap, toUnixTimestamp(block_time) AS time, block_number, tx_index, index,
  through AS other, ${clauses.swapped.amount} AS moved_amount, ${clauses.swapped.other} AS other_asset,
  ${clauses.swapped.otherAmount} AS other_amount
FROM swaps
WHERE chain = {chain:String} AND owner = {wallet:String} AND ${clauses.swapped.canonicalAsset} = {canonicalAsset:String}
  AND ${VISIBLE_ROWS_OF_A_RANGE}
  ${clauses.ownOnly ? 'AND sender = {wallet:String}' : ''}
  ${since(clauses, '{swap_from:UInt32}')}
${inOrder(clauses)}`;

const transfersQuery = (clauses: FlowClauses): string => `
SELECT 0 AS is_swap, toUnixTimestamp(block_time) AS time, block_number, tx_index, index,
  counterparty AS other, amount AS moved_amount, '' AS other_asset, '0' AS other_amount
FROM account_entries
WHERE ${handOvers(clauses.direction)}
  AND asset_family = {canonicalAsset:String} ${clauses.ownOnly ? `AND ${ownOr(clauses.allowed)}` : ''}
  ${since(clauses, '{transfer_from:UInt32}')}
${inOrder(clauses)}`;

export type FlowRow = readonly [
  isSwap: number,
  time: number,
  block: string,
  tx: number,
  index: number,
  other: string,
  movedAmount: string,
  otherAsset: string,
  otherAmount: string,
];

/** One page of one side. */
const readFlows = async (
  client: WarehouseClient,
  side: SideClauses,
  request: OneWallet,
): Promise<FlowPage> => {
  const { from, limit } = request;
  const continued = from.step > 0;
  const page = await askFlows(client, { ...side, continued }, request);
  const rows = page.filter((row) => side.compare(row, from) >= 0);
  // Rows of the same second from before the position may have used up the limit; then the rest is queried.
  const isCrowded = page.length === limit && rows.length < limit && !continued;
  const all = isCrowded ? await askFlows(client, { ...side, continued: true }, request) : rows;
  const last = all.at(-1);
  // A half that reached its limit may have more rows, and then the page is full, too.
  if (last === undefined || all.length < limit) return { rows: all, next: null };
  const { blockTime, blockNumber, txIndex, step } = last;
  return { rows: all, next: { blockTime, blockNumber, txIndex, step: step + 1 } };
};

/** Swaps and transfers are queried in parallel. As one query with a union they took the time of both. */
const askFlows = async (
  client: WarehouseClient,
  side: SideClauses & Pick<FlowClauses, 'continued'>,
  {
    chain,
    wallet,
    canonicalAsset,
    ownOnly,
    allowed,
    transfersOnly = false,
    from,
    limit,
    ...limits
  }: OneWallet,
): Promise<Flow[]> => {
  const clauses = { ...side, ownOnly, allowed };
  const params = {
    chain,
    wallet,
    canonicalAsset,
    limit,
    time: from.blockTime,
    block: from.blockNumber,
    tx: from.txIndex,
    swap_from: from.step,
    transfer_from: Math.max(0, from.step - TRANSFER_STEP),
    ...toAllowedParams(allowed),
  };
  const ask = (query: string) => askTables<FlowRow>(client, { query, params }, limits);
  const found = await Promise.all([
    transfersOnly ? [] : ask(swapsQuery(clauses)),
    ask(transfersQuery(clauses)),
  ]);
  return found.flat().map(toFlow).sort(side.compare).slice(0, limit);
};

export const readFlowsOfOne = (client: WarehouseClient, request: OneWallet): Promise<FlowPage> =>
  request.side === 'departures' ? readDepartures(client, request) : readFlows(client, IN, request);

const readDepartures = async (client: WarehouseClient, request: OneWallet): Promise<FlowPage> => {
  const { transfersOnly, from, wallet } = request;
  const few = transfersOnly && from.step === 0 ? await readFewDepartures(client, request) : null;
  if (few === null) return readFlows(client, OUT, request);
  const rows = (few.get(wallet) ?? []).filter((row) => compareRows(row, from) >= 0);
  return { rows, next: null, ...(few.size > 1 && { ahead: few }) };
};

export const toFlow = (row: FlowRow): Flow => {
  const [isSwap, blockTime, block, txIndex, index, other, movedAmount, otherAsset, otherAmount] = row;
  const position = toPosition(blockTime, block, txIndex);
  const amountRaw = BigInt(movedAmount);
  return isSwap === 0
    ? { ...position, step: TRANSFER_STEP + index, type: 'transfer', counterparty: other, amountRaw }
    : {
        ...position,
        step: index,
        type: 'swap',
        amountRaw,
        otherAsset,
        otherRaw: BigInt(otherAmount),
        through: other === '' ? null : other,
      };
};

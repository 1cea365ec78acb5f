import {
  compareRows,
  compareRowsBackward,
  type Flow,
  type FlowPage,
  type FlowPlace,
  type FlowsOf,
  type ReadLimits,
} from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS_OF_A_RANGE } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { type AllowedMoves, NO_MOVES, ownOr, readAllowedMoves, toAllowedParams } from './allowed-moves.ts';
import { type FlowRow, readFlowsOfOne, toFlow } from './flows.ts';

type FlowSide = FlowsOf['side'];
const isOnward = (side: FlowSide): boolean => side === 'departures';

/** From each wallet's own second on. The earliest and latest second limit the range of the key. */
const since = (side: FlowSide, wallet: string): string => {
  const after = isOnward(side) ? '>=' : '<=';
  return `AND block_time ${after} toDateTime({time:UInt32}, 'UTC')
  AND toUnixTimestamp(block_time) ${after} transform(${wallet}, {wallets:Array(String)}, {times:Array(UInt32)}, toUInt32(0))`;
};

const eachInOrder = (side: FlowSide, wallet: string): string => {
  const order = isOnward(side) ? 'ASC' : 'DESC';
  return `
ORDER BY ${wallet} ASC, block_time ${order}, block_number ${order}, tx_index ${order}, index ASC
LIMIT {limit:UInt32} BY ${wallet}`;
};

const transfersQuery = (side: FlowSide, own: string): string => `
SELECT 0 AS is_swap, toUnixTimestamp(block_time) AS time, block_number, tx_index, index,
  counterparty AS other, amount AS moved_amount, '' AS other_asset, '0' AS other_amount, address AS wallet
FROM account_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND direction = '${isOnward(side) ? 'out' : 'in'}'
  AND asset_family = {canonicalAsset:String} AND kind IN (${HAND_OVER_KINDS_LISTED})
  AND amount > 0 AND counterparty NOT IN ('', address) AND ${VISIBLE_ROWS_OF_A_RANGE}
  ${own}
  ${since(side, 'address')}
${eachInOrder(side, 'address')}`;

const swapsQuery = (side: FlowSide, ownOnly: boolean): string => {
  const [moved, other] = isOnward(side) ? ['gave', 'got'] : ['got', 'gave'];
  return `
SELECT 1 AS is_swap, toUnixTimestamp(block_time) AS time, block_number, tx_index, index,
  through AS other, ${moved}_amount AS moved_amount, ${other}_asset AS other_asset, ${other}_amount AS other_amount,
  owner AS wallet
FROM swaps
WHERE chain = {chain:String} AND owner IN {wallets:Array(String)} AND ${moved}_family = {canonicalAsset:String}
  AND ${VISIBLE_ROWS_OF_A_RANGE} ${ownOnly ? 'AND sender = owner' : ''}
  ${since(side, 'owner')}
${eachInOrder(side, 'owner')}`;
};

type Row = readonly [...FlowRow, wallet: string];

/** A wallet alone has the shortest range, and its large payees come along. */
export const readFlows = async (
  client: WarehouseClient,
  common: FlowsOf,
  places: readonly FlowPlace[],
  limits: ReadLimits,
): Promise<readonly FlowPage[]> => {
  const [place, another] = places;
  const { chain, canonicalAsset } = common;
  const wallets = places.map(({ wallet }) => wallet);
  const sinceUnixSeconds = places.reduce((first, { from }) => Math.min(first, from.blockTime), Infinity);
  const isAsked = common.ownOnly && isOnward(common.side);
  const allowed = isAsked
    ? await readAllowedMoves(client, { chain, canonicalAsset, wallets, sinceUnixSeconds, ...limits })
    : NO_MOVES;
  return place !== undefined && another === undefined
    ? [await readFlowsOfOne(client, { ...common, allowed, ...place, ...limits })]
    : readFlowsOfMany(client, { ...common, allowed }, places, limits);
};

/** Two queries at once, a short range of the key for each wallet. */
const readFlowsOfMany = async (
  client: WarehouseClient,
  common: FlowsOf & { readonly allowed: AllowedMoves },
  places: readonly FlowPlace[],
  limits: ReadLimits,
): Promise<readonly FlowPage[]> => {
  const { side, chain, canonicalAsset, ownOnly, allowed, transfersOnly = false, limit } = common;
  const compare = isOnward(side) ? compareRows : compareRowsBackward;
  const seconds = places.map(({ from }) => from.blockTime);
  const params = {
    chain,
    canonicalAsset,
    limit,
    times: seconds,
    wallets: places.map(({ wallet }) => wallet),
    time: seconds.reduce((a, b) => (isOnward(side) ? Math.min(a, b) : Math.max(a, b))),
    ...toAllowedParams(allowed),
  };
  const ask = (query: string) => askTables<Row>(client, { query, params }, limits);
  const [swaps, transfers] = await Promise.all([
    transfersOnly ? [] : ask(swapsQuery(side, ownOnly)),
    ask(transfersQuery(side, ownOnly ? `AND ${ownOr(allowed)}` : '')),
  ]);
  const byWallet = Map.groupBy([...swaps, ...transfers], (row) => row[9]);
  const { aheadRaw: _, ...alone } = common;
  return Promise.all(
    places.map(({ wallet, from }): FlowPage | Promise<FlowPage> => {
      const found = (byWallet.get(wallet) ?? []).map(toFlowOf).sort(compare).slice(0, limit);
      const rows = found.filter((row) => compare(row, from) >= 0);
      const last = rows.at(-1);
      if (found.length < limit) return { rows, next: null };
      // Rows of the same second before the position used up the limit. Rare, so these are queried alone.
      if (last === undefined || rows.length < found.length)
        return readFlowsOfOne(client, { ...alone, wallet, from, ...limits });
      const { blockTime, blockNumber, txIndex, step } = last;
      return { rows, next: { blockTime, blockNumber, txIndex, step: step + 1 } };
    }),
  );
};

const toFlowOf = (row: Row): Flow => {
  const [isSwap, time, block, tx, index, other, moved, otherAsset, otherAmount] = row;
  return toFlow([isSwap, time, block, tx, index, other, moved, otherAsset, otherAmount]);
};

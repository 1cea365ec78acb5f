import {
  FLOWS_EACH_MAX,
  type FlowsAroundRequest,
  type PartyFlow,
  type WalletFlows,
} from '../../../investigate/model/profile-reader.ts';
import { bothSides, type Direction } from '../../../investigate/model/trace-reader.ts';
import { compareTransactions } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { atEnds, endsOf, IS_CUT } from '../counterparties/neighbours.ts';
import { toPosition } from '../transactions/places.ts';

const QUERY = `
SELECT address, direction, asset_family,
  groupArrayIf(${FLOWS_EACH_MAX + 1})(
    (counterparty, amount, toUnixTimestamp(block_time), block_number, tx_index, index,
      (address, block_number, tx_index) IN
      (
        SELECT owner, block_number, tx_index FROM swaps
        WHERE chain = {chain:String} AND owner IN {wallets:Array(String)} AND ${VISIBLE_ROWS}
      )),
    kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', address) AND ${VISIBLE_ROWS}),
  max(is_sender), ${IS_CUT}
FROM ${atEnds(
  (ends) => `SELECT *, _part, _part_offset FROM account_entries
  WHERE chain = {chain:String} AND ${ends} AND asset_family IN {canonicalAssets:Array(String)}`,
)}
GROUP BY address, direction, asset_family, _part`;

type PartyFlowRow = readonly [
  counterparty: string,
  amount: string,
  time: number,
  block: string,
  tx: number,
  index: number,
  isSwap: number,
];
type Row = readonly [
  wallet: string,
  direction: Direction,
  canonicalAsset: string,
  flows: readonly PartyFlowRow[],
  signs: boolean,
  isCut: number,
];

/** One query for all of the wallets. */
export const readFlowsAround = async (
  client: WarehouseClient,
  { chain, wallets, canonicalAssets, ...limits }: FlowsAroundRequest,
): Promise<readonly WalletFlows[]> => {
  if (wallets.length === 0) return [];
  // Each wallet is in the parameters twice, once for each side. For swaps that makes no difference.
  const params = { chain, ...endsOf(bothSides(wallets), canonicalAssets) };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return [...Map.groupBy(rows, ([wallet]) => wallet)].map(([wallet, of]) => ({
    wallet,
    flows: of.flatMap(toFlows).sort((a, b) => compareTransactions(a, b) || a.index - b.index),
    isComplete: of.every(([, , , flows, , isCut]) => isCut === 0 && flows.length <= FLOWS_EACH_MAX),
    signs: of.some(([, , , , signs]) => signs),
  }));
};

const toFlows = ([, direction, canonicalAsset, flows]: Row): PartyFlow[] =>
  flows.map(([counterparty, amount, time, block, tx, index, isSwap]) => ({
    ...toPosition(time, block, tx),
    direction,
    canonicalAsset,
    counterparty,
    index,
    amountRaw: BigInt(amount),
    isSwap: isSwap === 1,
  }));

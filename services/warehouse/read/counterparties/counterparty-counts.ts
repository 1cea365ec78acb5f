import type {
  CounterpartyCount,
  CounterpartyCountsRequest,
  Direction,
  Meeting,
} from '../../../investigate/model/trace-reader.ts';
import { compareTransactions } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { ENDS_OF_MANY, endsOf, leastsOf } from './neighbours.ts';

/**
 * Counts counterparties without listing them: for a hundred wallets it would otherwise group, sort and write
 * ten thousand rows for the few counterparties asked about.
 */
const QUERY = `
SELECT address, direction, uniqUpToIf({most:UInt8})(counterparty, in_earnest) AS others, toUnixTimestamp(min(block_time)),
  if(others > {most:UInt8}, [], groupArrayIf((counterparty, toUnixTimestamp(block_time), block_number, tx_index),
    in_earnest AND counterparty IN {among:Array(String)}))
FROM ${ENDS_OF_MANY}
GROUP BY address, direction`;

type Met = readonly [counterparty: string, time: number, block: string, tx: number];
type Row = readonly [
  wallet: string,
  direction: Direction,
  others: string,
  firstUnixSeconds: number,
  met: readonly Met[],
];

/** One query over the ranges that `neighbours` reads for each side. */
export const readCounterpartyCounts = async (
  client: WarehouseClient,
  { chain, sides, canonicalAssets, leastRaw, among, othersMax, ...limits }: CounterpartyCountsRequest,
): Promise<readonly CounterpartyCount[]> => {
  if (sides.length === 0) return [];
  const params = { chain, ...endsOf(sides, canonicalAssets), ...leastsOf(leastRaw), among, most: othersMax };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return rows.map(([wallet, direction, others, firstUnixSeconds, met]) => ({
    wallet,
    direction,
    others: Number(others),
    firstUnixSeconds,
    met: firstOfEach(met.map(toMeeting)),
  }));
};

const toMeeting = ([counterparty, blockTime, block, txIndex]: Met): Meeting => ({
  counterparty,
  first: { blockTime, blockNumber: Number(block), txIndex },
});

const firstOfEach = (met: readonly Meeting[]): Meeting[] => {
  const seen = new Set<string>();
  return met
    .toSorted((a, b) => compareTransactions(a.first, b.first) || (a.counterparty < b.counterparty ? -1 : 1))
    .filter(({ counterparty }) => !seen.has(counterparty) && seen.add(counterparty));
};

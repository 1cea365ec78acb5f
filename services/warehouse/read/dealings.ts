import type { Dealings, DealingsRequest } from '../../investigate/model/trace-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../clauses/visible-rows.ts';
import { askTables } from './ask-tables.ts';
import { endsOf } from './neighbours.ts';

/** As a scalar the keys are constants before the question is planned; of a plain expression no range of the key is made. */
const keysOf = (addresses: string): string =>
  `(SELECT arrayMap(one -> cityHash64({chain:String}, one), {${addresses}:Array(String)}))`;

/** Of each range the blocks of rows that hold its two ends, as `neighbours` reads them, from a table that is a sixth as wide. */
const QUERY = `
WITH ${keysOf('wallets')} AS wallet_keys, ${keysOf('others')} AS other_keys
SELECT indexOf(wallet_keys, wallet_key), direction, count() AS counterparties, min(first.1),
  arrayMap(
    shared -> (indexOf(other_keys, shared.1), shared.2),
    if(counterparties > {popular_above:UInt32}, [], groupArrayIf((counterparty_key, first), is_other)))
FROM
(
  SELECT wallet_key, direction, counterparty_key, counterparty_key IN other_keys AS is_other,
    min((toUnixTimestamp(block_time), block_number, tx_index)) AS first
  FROM dealings
  WHERE (wallet_key, direction) IN arrayZip(wallet_keys, {directions:Array(String)})
    AND indexHint((asset_family, block_time) IN arrayZip({end_families:Array(String)}, {end_times:Array(UInt32)}))
    AND asset_family IN {families:Array(String)}
    AND ${VISIBLE_ROWS}
  GROUP BY wallet_key, direction, counterparty_key
)
GROUP BY wallet_key, direction`;

type Row = readonly [
  wallet: string,
  direction: 'in' | 'out',
  counterparties: string,
  first: number,
  shared: readonly (readonly [other: string, first: readonly [time: number, block: string, tx: number]])[],
];

/** One query, some short ranges of the key for each side. The table knows wallets by keys of 64 bits, of which no two are expected to be equal. */
export const readDealings = async (
  client: WarehouseClient,
  { chain, sides, families, others, popularAbove, signal, timeoutMs }: DealingsRequest,
): Promise<readonly Dealings[]> => {
  if (sides.length === 0) return [];
  const params = { chain, ...endsOf(sides, families), others, popular_above: popularAbove };
  const rows = await askTables<Row>(client, { query: QUERY, params }, { signal, timeoutMs });
  return rows.map(([wallet, direction, counterparties, firstUnixSeconds, shared]) => ({
    wallet: nth(params.wallets, wallet),
    direction,
    counterparties: Number(counterparties),
    firstUnixSeconds,
    shared: shared.map(([other, [blockTime, block, txIndex]]) => ({
      counterparty: nth(others, other),
      first: { blockTime, blockNumber: Number(block), txIndex },
    })),
  }));
};

/** Arrays of the engine begin at 1. */
const nth = (addresses: readonly string[], place: string): string => addresses[Number(place) - 1] ?? '';

import type { CanonicalAsset } from '../../../investigate/model/asset.ts';
import {
  type Direction,
  type Neighbour,
  type NeighboursRequest,
  ROWS_PER_COUNTERPARTY,
  type WalletSide,
} from '../../../investigate/model/trace-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const IN_EARNEST =
  'amount >= arrayMap(least -> toUInt256(least), {leasts:Array(String)})[indexOf({canonicalAssets:Array(String)}, asset_family)]';

/** The index granularity of the table. */
const ROWS_OF_A_BLOCK = 1_024;
const COLUMNS = 'address, direction, counterparty, block_time, block_number, tx_index';

const entries = (condition: string, columns = COLUMNS): string => `SELECT ${columns}
  FROM account_entries
  WHERE chain = {chain:String} AND ${condition}
    AND asset_family IN {canonicalAssets:Array(String)}
    AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty != '' AND counterparty != address
    AND ${VISIBLE_ROWS}`;

const OF_SIDES = '(address, direction) IN arrayZip({wallets:Array(String)}, {directions:Array(String)})';
/**
 * For each side of a wallet and each asset a range of the key, of which only the blocks of rows at its two
 * ends are read: all of it up to a thousand rows (the index granularity), and a limited number for a busy
 * wallet with millions. The condition must use a tuple: for the time alone ClickHouse concludes that no part
 * reaches that far, and skips all of them.
 */
const ENDS_OF_RANGES = `${OF_SIDES}
    AND indexHint((asset_family, block_time) IN arrayZip({end_families:Array(String)}, {end_times:Array(UInt32)}))`;
/**
 * The rows at those ends. The first block of rows of a part is always read. When it contains only one range,
 * as a shard's part may, it need not contain an end of a range.
 */
export const atEnds = (select: (condition: string) => string): string => `(
  ${select(`${OF_SIDES} AND _part_offset < ${ROWS_OF_A_BLOCK}`)}
  UNION ALL
  ${select(`${ENDS_OF_RANGES} AND _part_offset >= ${ROWS_OF_A_BLOCK}`)}
)`;
/**
 * Whether some rows of a range, grouped by part, were not read. If they are not consecutive, rows between
 * them are missing. If the first one begins a block of rows, the range may have begun earlier, and if the
 * last one ends a block, it may continue: the index does not find an end at the edge of a part's last block.
 */
export const IS_CUT = `(max(_part_offset) - min(_part_offset) >= count()
    OR min(_part_offset) > 0 AND min(_part_offset) % ${ROWS_OF_A_BLOCK} = 0
    OR max(_part_offset) % ${ROWS_OF_A_BLOCK} = ${ROWS_OF_A_BLOCK - 1})`;
/** Adds to each row whether it is `in_earnest`. */
export const ENDS_OF_MANY = atEnds((ends) => entries(ends, `${COLUMNS}, ${IN_EARNEST} AS in_earnest`));
const EARNEST_ENDS_OF_MANY = atEnds((ends) => entries(`${ends} AND ${IN_EARNEST}`));

/** For one wallet, which may be a service with a million rows: the beginnings of its ranges. */
const beginningsOfOne = (directions: readonly Direction[]): string =>
  `(${directions
    .map((direction) => {
      const side = `address = {wallets:Array(String)}[1] AND direction = '${direction}' AND ${IN_EARNEST}`;
      return `SELECT * FROM (${entries(side)} LIMIT {rows:UInt32})`;
    })
    .join(' UNION ALL ')})`;

const query = (source: string): string => `
SELECT address, direction, counterparty, count(),
  min((toUnixTimestamp(block_time), block_number, tx_index)) AS first
FROM ${source}
GROUP BY address, direction, counterparty
ORDER BY address, direction, first, counterparty
LIMIT {limit:UInt32} BY address, direction`;

const UINT32_MAX = 4_294_967_295;
/** Parameters of `IN_EARNEST` beside the assets. */
export const leastsOf = (leastRaw: readonly bigint[]) => ({ leasts: leastRaw.map(String) });
/** Parameters of `ENDS_OF_RANGES`, and the assets. */
export const endsOf = (sides: readonly WalletSide[], canonicalAssets: readonly CanonicalAsset[]) => ({
  wallets: sides.map(({ wallet }) => wallet),
  directions: sides.map(({ direction }) => direction),
  canonicalAssets,
  end_families: canonicalAssets.flatMap((canonicalAsset) => [canonicalAsset, canonicalAsset]),
  end_times: canonicalAssets.flatMap(() => [0, UINT32_MAX]),
});

/**
 * Up to this many counterparties are read from the ends of a range, because a busy wallet has more at once.
 */
const TOLD_BY_ENDS = 100;

type Row = readonly [
  wallet: string,
  direction: 'in' | 'out',
  counterparty: string,
  transfers: string,
  first: readonly [time: number, block: string, tx: number],
];

/**
 * The wallets' counterparties, earliest first. With more than a thousand transfers of an asset not all are
 * counted. `byEnds`: a single wallet is also read by the ends of its ranges, as several are. One query.
 */
export const readNeighbours = async (
  client: WarehouseClient,
  { chain, sides, canonicalAssets, leastRaw, perSideMax, ...limits }: NeighboursRequest,
  { byEnds = false }: { readonly byEnds?: boolean } = {},
): Promise<readonly Neighbour[]> => {
  const [side] = sides;
  if (side === undefined) return [];
  const isOne = sides.every(({ wallet }) => wallet === side.wallet);
  const source =
    isOne && perSideMax > TOLD_BY_ENDS && !byEnds
      ? beginningsOfOne(sides.map(({ direction }) => direction))
      : EARNEST_ENDS_OF_MANY;
  const params = {
    chain,
    ...endsOf(sides, canonicalAssets),
    ...leastsOf(leastRaw),
    limit: perSideMax,
    rows: perSideMax * ROWS_PER_COUNTERPARTY,
  };
  const rows = await askTables<Row>(client, { query: query(source), params }, limits);
  return rows.map(toNeighbour);
};

const toNeighbour = ([wallet, direction, counterparty, transfers, first]: Row): Neighbour => {
  const [blockTime, block, txIndex] = first;
  return {
    wallet,
    direction,
    counterparty,
    transfers: Number(transfers),
    first: { blockTime, blockNumber: Number(block), txIndex },
  };
};

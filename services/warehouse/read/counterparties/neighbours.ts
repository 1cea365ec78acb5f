import type { CanonicalAsset } from '../../../investigate/model/asset.ts';
import {
  type Direction,
  type Neighbour,
  type NeighboursOf,
  ROWS_PER_COUNTERPARTY,
  type WalletSide,
} from '../../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
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

/** The beginnings of the ranges of each side, which may have millions of rows. */
const beginningsOf = (sides: readonly WalletSide[]): string =>
  `(${sides
    .map(({ direction }, at) => {
      const side = `address = {wallets:Array(String)}[${at + 1}] AND direction = '${direction}' AND ${IN_EARNEST}`;
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

type Row = readonly [
  wallet: string,
  direction: 'in' | 'out',
  counterparty: string,
  transfers: string,
  first: readonly [time: number, block: string, tx: number],
];

/** The counterparties of each side, earliest first. One query, unless the sides from their beginnings are many. */
export const readNeighbours = async (
  client: WarehouseClient,
  of: NeighboursOf,
  sides: readonly WalletSide[],
  limits: ReadLimits,
): Promise<readonly (readonly Neighbour[])[]> => {
  const bySide = of.fromBeginning
    ? await readFromBeginning(client, of, sides, limits)
    : await ask(client, of, { sides, source: EARNEST_ENDS_OF_MANY }, limits);
  return sides.map((side) => bySide.get(keyOf(side)) ?? []);
};

/** The positions of all rows at the ends of ranges. */
export const KEYS_AT_ENDS = atEnds(
  (ends) => `SELECT address, direction, asset_family, _part, _part_offset FROM account_entries
  WHERE chain = {chain:String} AND ${ends} AND asset_family IN {canonicalAssets:Array(String)}`,
);

const BUSY = `
SELECT address, direction
FROM (
  SELECT address, direction, asset_family, _part, count() AS entries, ${IS_CUT} AS is_cut
  FROM ${KEYS_AT_ENDS}
  GROUP BY address, direction, asset_family, _part
)
GROUP BY address, direction
HAVING max(is_cut) OR sum(entries) >= {rows:UInt32}`;

/** Sides that the ends of their ranges do not contain whole, or with so many entries that the read stops early. */
const readBusy = async (
  client: WarehouseClient,
  { chain, canonicalAssets, rows }: NeighboursOf & { readonly rows: number },
  sides: readonly WalletSide[],
  limits: ReadLimits,
): Promise<readonly WalletSide[]> => {
  const params = { chain, ...endsOf(sides, canonicalAssets), rows };
  const found = await askTables<readonly [wallet: string, direction: Direction]>(
    client,
    { query: BUSY, params },
    limits,
  );
  return found.map(([wallet, direction]) => ({ wallet, direction }));
};

/** Sides of which each is a part of one query. */
const PARTS_MAX = 8;

/** The ends of a quiet side contain all of it, so that of many sides only the busy ones are read one by one. */
const readFromBeginning = async (
  client: WarehouseClient,
  of: NeighboursOf,
  sides: readonly WalletSide[],
  limits: ReadLimits,
): Promise<BySide> => {
  const rows = of.perSideMax * ROWS_PER_COUNTERPARTY;
  const isFew = sides.length <= PARTS_MAX;
  const busy = isFew ? sides : await readBusy(client, { ...of, rows }, sides, limits);
  const isBusy = new Set(busy.map(keyOf));
  const quiet = sides.filter((side) => !isBusy.has(keyOf(side)));
  const known = new Map(await ask(client, of, { sides: quiet, source: EARNEST_ENDS_OF_MANY }, limits));
  for (let from = 0; from < busy.length; from += PARTS_MAX) {
    const some = busy.slice(from, from + PARTS_MAX);
    const read = await ask(client, of, { sides: some, source: beginningsOf(some) }, limits);
    for (const [side, neighbours] of read) known.set(side, neighbours);
  }
  return known;
};

type BySide = ReadonlyMap<string, readonly Neighbour[]>;

const ask = async (
  client: WarehouseClient,
  { chain, canonicalAssets, leastRaw, perSideMax }: NeighboursOf,
  { sides, source }: { readonly sides: readonly WalletSide[]; readonly source: string },
  limits: ReadLimits,
): Promise<BySide> => {
  if (sides.length === 0) return new Map();
  const params = {
    chain,
    ...endsOf(sides, canonicalAssets),
    ...leastsOf(leastRaw),
    limit: perSideMax,
    rows: perSideMax * ROWS_PER_COUNTERPARTY,
  };
  const rows = await askTables<Row>(client, { query: query(source), params }, limits);
  return Map.groupBy(rows.map(toNeighbour), keyOf);
};

export const keyOf = ({ wallet, direction }: WalletSide): string => `${direction} ${wallet}`;

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

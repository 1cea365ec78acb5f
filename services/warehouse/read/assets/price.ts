import { isStablecoin } from '../../../investigate/model/asset.ts';
import { MARKET_REACH_HOURS, priceAt, type Quote } from '../../../investigate/model/price-at.ts';
import type { PriceReader } from '../../../investigate/model/price-reader.ts';
import { indexQuotes } from '../../../investigate/model/quotes-near.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';

/**
 * The few rows that may price an asset at a time have known keys: the hours within reach, its minute, its day
 * and the neighbouring days. Each is a point in the tables' keys.
 */
const QUERY = `
WITH moments AS
(
  SELECT DISTINCT moment.1 AS asset, toDateTime(moment.2, 'UTC') AS time
  FROM (SELECT arrayJoin(arrayZip({assets:Array(String)}, {times:Array(UInt32)})) AS moment)
)
SELECT asset, toString(resolution), toUnixTimestamp(prices.time), toUnixTimestamp(at), usd, '' AS source FROM prices FINAL
WHERE chain = {chain:String} AND (asset, resolution, time) IN
(
  SELECT asset, CAST(1, 'Enum8(''minute'' = 1, ''hour'' = 2)'), toStartOfMinute(time) FROM moments
  UNION ALL
  SELECT asset, CAST(2, 'Enum8(''minute'' = 1, ''hour'' = 2)'),
    toStartOfHour(time) + INTERVAL arrayJoin(range(2 * {reach:UInt16} + 1)) - {reach:UInt16} HOUR FROM moments
)
UNION ALL
SELECT asset, 'time', toUnixTimestamp(time), toUnixTimestamp(time), usd, source FROM imported_prices FINAL
WHERE chain = {chain:String} AND (asset, day) IN (SELECT asset, toDate(time) + arrayJoin([-1, 0, 1]) FROM moments)`;

type Row = readonly [
  asset: string,
  span: Quote['span'],
  begin: number,
  at: number,
  usd: number | null,
  source: string,
];

/** The price reader over the tables. `client` needs only the right to read them. */
export const createPriceReader = (client: WarehouseClient): PriceReader => ({
  prices: async ({ chain, reachHours = MARKET_REACH_HOURS }, moments, limits) => {
    if (moments.length === 0) return [];
    const params = {
      chain: chain.name,
      assets: moments.map(({ canonicalAsset }) => canonicalAsset),
      times: moments.map(({ timeUnixSeconds }) => timeUnixSeconds),
      reach: reachHours,
    };
    const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
    const byAsset = Map.groupBy(rows, ([asset]) => asset);
    const near = new Map(
      [...byAsset].map(([asset, of]) => [asset, indexQuotes(of.map(toQuote), reachHours)]),
    );
    return moments.map(({ canonicalAsset, timeUnixSeconds }) =>
      priceAt(timeUnixSeconds, {
        pegged: isStablecoin(chain, canonicalAsset),
        quotes: near.get(canonicalAsset)?.(timeUnixSeconds) ?? [],
        reachHours,
      }),
    );
  },
});

const toQuote = ([, span, beginUnixSeconds, atUnixSeconds, usd, source]: Row): Quote => ({
  source: span === 'time' ? `import:${source}` : 'market',
  span,
  beginUnixSeconds,
  atUnixSeconds,
  usd,
});

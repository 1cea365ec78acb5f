import { isPegged } from './asset-facts.ts';
import {
  NEAR_HOURS,
  OFF_MEDIAN_MAX,
  partOfTrade,
  TRADES_NEAR_MIN,
  TRADES_OWN_MEDIAN_MIN,
  TRADES_PER_MINUTE_MIN,
  VOLUME_NEAR_USD_MIN,
  weightOf,
} from './price-rules.ts';
import { HOURS_TO_READ, TOUCHED_HOURS } from './touched-hours.ts';

/** Rows of `market_trades` that decide the prices of the touched hours. */
export const TRADES_TO_READ = `SELECT * FROM market_trades FINAL WHERE (chain, hour) IN (${HOURS_TO_READ})`;

/** Excludes quotes in a stablecoin that had lost its peg in that hour: see peg-breaks.ts. */
export const QUOTED_AT_PEG = `(chain, quote, hour) NOT IN (
    SELECT chain, asset, time FROM prices FINAL WHERE resolution = 'hour' AND ifNull(usd, 0) != 1
      AND ${isPegged('asset')})`;

/**
 * The steps for pricing some assets, in order: their trades into `priced_trades`, a table of this run, then
 * averages of these.
 */
export type PriceStatements = { readonly trades: string; readonly averages: string };

/**
 * Volume-weighted average prices of the touched hours and their minutes. `trades` gives `chain, asset, hour,
 * block_time, is_buy, units, usd` (amount in whole units, and its value). `scope` is the condition on
 * `prices` for the same assets.
 */
export const averagePrice = (trades: string, scope: string): PriceStatements => ({
  trades: `INSERT INTO priced_trades ${trades}`,
  averages: averagesOf(scope),
});

const averagesOf = (scope: string): string => `
INSERT INTO prices
WITH
hours AS
(
  SELECT chain, asset, hour, medianExactWeighted(usd / units, ${weightOf('usd')}) AS middle, count() AS number,
    sum(usd) AS volume, sum(${weightOf('usd')}) AS weight
  FROM priced_trades GROUP BY chain, asset, hour
),
markets AS
(
  SELECT chain, asset, hour,
    if(number >= ${TRADES_OWN_MEDIAN_MIN}, middle, medianExactWeighted(middle, weight) OVER near) AS usual,
    sum(number) OVER near AS trades_near,
    sum(volume) OVER near AS volume_near
  FROM hours
  WINDOW near AS (PARTITION BY chain, asset ORDER BY toUnixTimestamp(hour)
    RANGE BETWEEN ${NEAR_HOURS * 3600} PRECEDING AND ${NEAR_HOURS * 3600} FOLLOWING)
),
kept AS
(
  SELECT t.*, bucket.1 AS resolution, bucket.2 AS time
  FROM priced_trades AS t INNER JOIN markets AS m ON m.chain = t.chain AND m.asset = t.asset AND m.hour = t.hour
  ARRAY JOIN [('hour', t.hour), ('minute', toStartOfMinute(t.block_time))] AS bucket
  WHERE trades_near >= ${TRADES_NEAR_MIN} AND volume_near >= ${VOLUME_NEAR_USD_MIN}
    AND abs(log(usd / units / usual)) <= ${OFF_MEDIAN_MAX}
),
averages AS
(
  SELECT chain, asset, resolution, time,
    toUInt32(sum(toUnixTimestamp(block_time) * usd) / sum(usd)) AS at,
    sumIf(usd, is_buy) / sumIf(units, is_buy) AS bought,
    sumIf(usd, NOT is_buy) / sumIf(units, NOT is_buy) AS sold,
    multiIf(isNaN(bought), sold, isNaN(sold), bought, sqrt(bought * sold)) AS price,
    sum(usd) AS volume, count() AS number
  FROM kept GROUP BY chain, asset, resolution, time
  HAVING resolution = 'hour' OR sum(${partOfTrade('usd')}) >= ${TRADES_PER_MINUTE_MIN}
)
SELECT chain, asset, resolution, time, max(at), max(price), max(volume), max(number) FROM
(
  SELECT toString(chain) AS chain, toString(asset) AS asset, resolution, time, at, toNullable(price) AS price, volume, number
  FROM averages
  WHERE (chain, toStartOfHour(time)) IN (${TOUCHED_HOURS})
  UNION ALL
  SELECT toString(chain), toString(asset), toString(resolution), time, toUInt32(0), NULL, 0., toUInt64(0) FROM prices
  WHERE ${scope} AND (chain, toStartOfHour(time)) IN (${TOUCHED_HOURS})
)
GROUP BY chain, asset, resolution, time`;

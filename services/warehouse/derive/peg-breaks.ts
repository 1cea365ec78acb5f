import { isPegged } from './asset-facts.ts';
import { PEG_OFF_MAX, TRADES_NEAR_MIN, VOLUME_NEAR_USD_MIN, weightOf } from './price-rules.ts';
import { TOUCHED_HOURS } from './touched-hours.ts';
import { TRADED_DECIMALS } from './traded-decimals.ts';

/**
 * Hours in which a stablecoin lost its peg, by its markets against other stablecoins. If it is off in all of
 * at least two markets, it broke, and the median of its markets is its price. If it is off in its only
 * market, either coin may have broken, so its price is unknown (null). If it is off in some, the others
 * broke. Hours without a row, or with a revoked one, have the pegged price.
 */
export const PEG_BREAKS = `
INSERT INTO prices
WITH
decimals AS (${TRADED_DECIMALS}),
trades AS
(
  SELECT t.chain AS chain, t.asset AS asset, t.quote AS quote, hour, block_time,
    toFloat64(amount) / exp10(a.decimals) AS units,
    toFloat64(quote_amount) / exp10(q.decimals) / units AS rate
  FROM
  (
    SELECT * FROM market_trades FINAL
    WHERE (chain, hour) IN (${TOUCHED_HOURS}) AND ${isPegged('asset')} AND ${isPegged('quote')}
  ) AS t
  INNER JOIN decimals AS a ON a.chain = t.chain AND a.asset = t.asset
  INNER JOIN decimals AS q ON q.chain = t.chain AND q.asset = t.quote
),
markets AS
(
  SELECT chain, asset, quote, hour, medianExactWeighted(rate, ${weightOf('units')}) AS middle, sum(units) AS volume,
    count() AS number, avg(toUnixTimestamp(block_time)) AS at
  FROM trades GROUP BY chain, asset, quote, hour
  HAVING number >= ${TRADES_NEAR_MIN} AND volume >= ${VOLUME_NEAR_USD_MIN}
),
breaks AS
(
  SELECT chain, asset, hour, toUInt32(avg(at)) AS middle_at, sum(volume) AS all_volume, sum(number) AS all_trades,
    if(count() = 1, NULL, medianExact(middle)) AS price
  FROM markets GROUP BY chain, asset, hour
  HAVING countIf(abs(middle - 1) > ${PEG_OFF_MAX}) = count()
)
SELECT chain, asset, 'hour', hour, max(at), if(max(is_break), max(price), 1), max(volume), max(number) FROM
(
  SELECT toString(chain) AS chain, toString(asset) AS asset, hour, middle_at AS at, price, all_volume AS volume,
    all_trades AS number, true AS is_break
  FROM breaks
  UNION ALL
  SELECT toString(chain), toString(asset), time, toUInt32(0), NULL, 0., toUInt64(0), false FROM prices
  WHERE resolution = 'hour' AND ${isPegged('asset')} AND (chain, time) IN (${TOUCHED_HOURS})
)
GROUP BY chain, asset, hour`;

import { isPegged } from './asset-facts.ts';
import { averagePrice, QUOTED_AT_PEG, TRADES_TO_READ } from './average-price.ts';
import { COIN_HOURS } from './price-rules.ts';
import { TRADED_DECIMALS } from './traded-decimals.ts';

const COIN_PRICE_AGE_MAX_SECONDS = COIN_HOURS * 3_600;

const TOKENS = `asset != 'native' AND NOT ${isPegged('asset')}`;

/** The coin's prices, each with the next one, if that is near enough to be used. */
const COIN_PRICES_IN_ORDER = `
  SELECT chain, 'native' AS quote, at, usd AS coin_usd,
    leadInFrame(at, 1, at) OVER following AS next_at,
    if(next_at - at <= ${COIN_PRICE_AGE_MAX_SECONDS}, leadInFrame(usd, 1, usd) OVER following, usd) AS next_usd
  FROM (SELECT toString(chain) AS chain, at, assumeNotNull(usd) AS usd FROM prices FINAL
    WHERE asset = 'native' AND resolution = 'hour' AND usd IS NOT NULL)
  WINDOW following AS (PARTITION BY chain ORDER BY at ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)`;

/** Trades of a token: for stablecoins, or for the coin at its price at the time. */
const TRADES = `
  SELECT t.chain AS chain, t.asset AS asset, hour, block_time, is_buy,
    toFloat64(amount) / exp10(a.decimals) AS units,
    toFloat64(quote_amount) / exp10(q.decimals) * quote_usd AS usd
  FROM
  (
    SELECT chain, asset, quote, hour, block_time, is_buy, amount, quote_amount, 1. AS quote_usd
    FROM (${TRADES_TO_READ} AND ${TOKENS} AND quote != 'native' AND ${QUOTED_AT_PEG})
    UNION ALL
    SELECT chain, asset, quote, hour, block_time, is_buy, amount, quote_amount,
      coin_usd + (next_usd - coin_usd) * least(1, (block_time - c.at) / greatest(1, next_at - c.at)) AS quote_usd
    FROM (${TRADES_TO_READ} AND ${TOKENS} AND quote = 'native') AS b
    ASOF INNER JOIN (${COIN_PRICES_IN_ORDER}) AS c ON c.chain = b.chain AND c.at <= b.block_time
    WHERE block_time - c.at <= ${COIN_PRICE_AGE_MAX_SECONDS}
  ) AS t
  INNER JOIN (${TRADED_DECIMALS}) AS a ON a.chain = t.chain AND a.asset = t.asset
  INNER JOIN (${TRADED_DECIMALS}) AS q ON q.chain = t.chain AND q.asset = t.quote`;

export const TOKEN_PRICES = averagePrice(TRADES, TOKENS);

import { averagePrice, QUOTED_AT_PEG, TRADES_TO_READ } from './average-price.ts';
import { TRADED_DECIMALS } from './traded-decimals.ts';

/** Trades of the chain's coin for stablecoins. */
const TRADES = `
  SELECT t.chain AS chain, t.asset AS asset, hour, block_time, is_buy,
    toFloat64(amount) / exp10(a.decimals) AS units,
    toFloat64(quote_amount) / exp10(q.decimals) AS usd
  FROM (${TRADES_TO_READ} AND asset = 'native' AND ${QUOTED_AT_PEG}) AS t
  INNER JOIN (${TRADED_DECIMALS}) AS a ON a.chain = t.chain AND a.asset = t.asset
  INNER JOIN (${TRADED_DECIMALS}) AS q ON q.chain = t.chain AND q.asset = t.quote`;

export const COIN_PRICES = averagePrice(TRADES, `asset = 'native'`);

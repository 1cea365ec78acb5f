/** How trades make a price. Each figure balances missing prices against wrong ones. */

/**
 * How far around an hour its market is considered: for the median, and for whether there is a market at all.
 */
export const NEAR_HOURS = 2;

/**
 * Maximum age of a coin price that values a token paid in the coin, and how far ahead the next one is looked
 * for.
 */
export const COIN_HOURS = 2;

/** A trade this far from the median around it is a mistake or a manipulation. */
export const OFF_MEDIAN_MAX = 0.1;

/**
 * An hour with this many trades is judged by its own median, because markets do fall by a fifth within an
 * hour.
 */
export const TRADES_OWN_MEDIAN_MIN = 10;

/**
 * A smaller trade counts in proportion: dust costs nothing, and any number of dust trades must not matter.
 */
const FULL_TRADE_USD = 100;
export const partOfTrade = (usd: string): string => `least(1, ${usd} / ${FULL_TRADE_USD})`;

/**
 * In a median, which takes integer weights, a large trade counts no more than another, so that one mistake is
 * no market.
 */
export const weightOf = (usd: string): string => `toUInt64(1 + 10000 * ${partOfTrade(usd)})`;

/** Fewer trades have no meaningful median. */
export const TRADES_NEAR_MIN = 3;

/** Below this value a price can be faked for a few dollars of fees. */
export const VOLUME_NEAR_USD_MIN = 1_000;

/** A minute has its own price only with a market of its own. */
export const TRADES_PER_MINUTE_MIN = 3;

/**
 * A stablecoin this close to its peg has the pegged price: pools charge fees, and arbitrage takes minutes.
 */
export const PEG_OFF_MAX = 0.02;

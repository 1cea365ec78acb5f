/** How trades make a price. Each figure is a choice between a missing price and a wrong one. */

/** How far around an hour its market is looked at: what is usual there, and whether there is a market at all. */
export const NEAR_HOURS = 2;

/** How long a coin's price says what a token was worth that was paid in it, and how far ahead the next one is looked for. */
export const COIN_HOURS = 2;

/** A trade this far from the median around it is somebody's mistake, or somebody's trick. */
export const OFF_MEDIAN_MAX = 0.1;

/** An hour with so many trades is judged by its own median: markets do fall by a fifth within an hour. */
export const TRADES_OWN_MEDIAN_MIN = 10;

/** A smaller trade counts as the part of one that it is: dust costs nothing, however many make it. */
const FULL_TRADE_USD = 100;
export const partOfTrade = (usd: string): string => `least(1, ${usd} / ${FULL_TRADE_USD})`;

/** In a median, which takes whole weights: a large trade counts no more than another, so that one mistake is no market. */
export const weightOf = (usd: string): string => `toUInt64(1 + 10000 * ${partOfTrade(usd)})`;

/** Fewer trades have no median that means anything. */
export const TRADES_NEAR_MIN = 3;

/** Below this a price can be made up for a few dollars of fees. */
export const VOLUME_NEAR_USD_MIN = 1_000;

/** A minute has a price of its own only where it has a market of its own. */
export const TRADES_PER_MINUTE_MIN = 3;

/** A stablecoin within this of its peg is worth the peg: pools charge fees, and arbitrage takes minutes. */
export const PEG_OFF_MAX = 0.02;

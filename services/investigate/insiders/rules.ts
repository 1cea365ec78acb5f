/** The thresholds of /insiders, each with its reason. */

/** Seconds after the launch in which a buyer counts as early: the specification's default and maximum. */
export const WINDOW_DEFAULT_SECONDS = 60;
export const WINDOW_MAX_SECONDS = 3_600;

export const TIME_BUDGET_MS = 60_000;
/** The part of the budget reserved for labels, symbols and prices. */
export const TELLING_RESERVE_MS = 10_000;
export const READ_TIMEOUT_MS = 15_000;
/**
 * Holders are counted from all rows of the token. For a coin with millions of holders that takes longer, and
 * the answer leaves them out instead of waiting.
 */
export const HOLDERS_TIMEOUT_MS = 10_000;

/** Rows of the token read for its launch. The busiest launches have some thousands in their first minute. */
export const ROWS_MAX = 20_000;
/** Transactions of the launch that are read whole, the earliest. */
export const TRANSACTIONS_MAX = 3_000;
export const TRANSACTIONS_AT_ONCE = 500;
export const ROWS_AT_ONCE = 20_000;
/** Early buyers that are examined. */
export const BUYERS_MAX = 1_000;
/**
 * A sender that gives the token to more wallets than this distributes it. Insiders are few, and recipients of
 * an airdrop are strangers.
 */
export const GIFTS_MAX = 20;
/** Holders that are examined, pools among them. */
export const HOLDERS_READ = 40;
export const HOLDERS_MAX = 20;
/** Payments of the creator to one candidate. */
export const PAYMENTS_MAX = 1_000;
/** Of one wallet. */
export const TRADES_MAX = 2_000;

/**
 * A sniper buys in the launch slot or one of the next two. On chains with slots of a second or less only a
 * bot can do that; on slower chains this number of seconds must hold, too.
 */
export const SNIPER_SLOTS = 2;
export const SNIPER_SECONDS = 30;

/**
 * A wallet that sent this many others their first coin is an exchange, a faucet or a broker, and ties nobody
 * to anybody.
 */
export const POPULAR_FUNDER = 20;

/**
 * Wallets made for a launch are funded within days. Friends and customers of one funder are funded at any
 * time.
 */
export const FUNDED_TOGETHER_SECONDS = 3 * 86_400;

/**
 * The confidence of each kind alone. Several kinds combine as independent (noisy or). Not fitted; measured by
 * `evaluate`.
 */
export const KIND_CONFIDENCE = {
  creator: 0.95,
  creator_funded: 0.9,
  funded_creator: 0.8,
  shared_funder: 0.8,
  bundle: 0.8,
  sniper: 0.7,
  launch_recipient: 0.9,
  top_holder: 0.1,
} as const;

/**
 * What is left of the confidence of ties by funders when earlier blocks are missing: the wallet may have had
 * coin before, and the funder may have funded many. A low guess, not measured.
 */
export const UNSURE_FUNDER = 0.5;

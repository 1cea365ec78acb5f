/** The thresholds of /insiders, each with its reason. */

/** Seconds after the launch in which a buyer counts as early: the specification's default and maximum. */
export const WINDOW_DEFAULT_SECONDS = 60;
export const WINDOW_MAX_SECONDS = 3_600;

export const TIME_BUDGET_MS = 60_000;
/** Of it, what naming and pricing keep for themselves. */
export const TELLING_RESERVE_MS = 10_000;
export const READ_TIMEOUT_MS = 15_000;
/**
 * All holders are counted out of all rows of the token: of a coin that millions hold that takes longer, and is left out of the
 * answer rather than waited for.
 */
export const HOLDERS_TIMEOUT_MS = 10_000;

/** Rows of the token that are read for its launch: the busiest launches have some thousands in their first minute. */
export const ROWS_MAX = 20_000;
/** Transactions of the launch that are read whole, the earliest. */
export const TRANSACTIONS_MAX = 3_000;
export const TRANSACTIONS_AT_ONCE = 500;
export const ROWS_AT_ONCE = 50_000;
/** Early buyers who are looked at. */
export const BUYERS_MAX = 1_000;
/** Who gives a token to more wallets than this hands it out: insiders are few, and whoever takes an airdrop is a stranger. */
export const GIFTS_MAX = 20;
/** Holders who are looked at, pools among them. */
export const HOLDERS_READ = 40;
export const HOLDERS_MAX = 20;
/** What the creator was paid before the launch, and paid to those who bought. */
export const PAYMENTS_MAX = 10_000;
export const TRADES_MAX = 20_000;

/**
 * A sniper buys in the launch slot or one of the two after it. Slots of a second or less make that a bot; where they are
 * longer, so does the time.
 */
export const SNIPER_SLOTS = 2;
export const SNIPER_SECONDS = 30;

/** Who sent their first coin to so many wallets is an exchange, a faucet or a broker, and ties nobody to anybody. */
export const POPULAR_FUNDER = 20;

/** Wallets that one hand makes for a launch are made within days; friends and customers of one funder come at any time. */
export const FUNDED_TOGETHER_SECONDS = 3 * 86_400;

/** How sure each kind makes an insider, alone; several join as independent (noisy or). Not fitted: measured by `evaluate`. */
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
 * How sure it is that the first indexed sender made a token whose making is not indexed: it may be anybody who held it. What
 * ties a wallet to that creator alone is as unsure. A guess on the low side, not measured.
 */
export const INFERRED_CREATOR = 0.3;

/** Nobody holds these keys: what is sent there is gone. */
export const BURN_ADDRESSES: ReadonlySet<string> = new Set([
  '0x0000000000000000000000000000000000000000',
  '0x000000000000000000000000000000000000dead',
  '1nc1nerator11111111111111111111111111111111',
  '11111111111111111111111111111111',
]);

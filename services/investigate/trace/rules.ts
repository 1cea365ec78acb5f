/** The limits of tracing, each with its reason. */

export const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 86_400;

/** The specification's windows. */
export const WINDOW_DEFAULT_SECONDS = { mixer: DAY_SECONDS, exchange: HOUR_SECONDS } as const;
export const WINDOW_MAX_SECONDS = 7 * DAY_SECONDS;

/** A busy exchange has this many transfers of one amount in a week only for the commonest amount. */
export const TRANSFERS_MAX = 20_000;
/** Parts of a free amount that are examined, those closest in amount first. */
export const PARTS_MAX = 5_000;
/**
 * The smallest part, a tenth of the amount. Without a minimum every deposit of the mixer could be the whole
 * of a smaller part.
 */
export const PART_OF_MAX = 10n;
/** Candidates that an answer lists. More equal leads do not help. */
export const CANDIDATES_MAX = 100;
/** Set by the decision records; `window.searched` lists no more. */
export const SEARCHED_MAX = 1_000;
export const TRANSACTION_ROWS_MAX = 10_000;
/** For the coin and stablecoins, when a transaction has more rows than those. */
export const PAID_ROWS_MAX = 20_000;

/** Deposits of a pool from which its denomination is read, and the share of them that must be equal. */
export const POOL_SAMPLE = 100;
export const FIXED_SHARE = 0.9;
/** Fewer equal deposits also occur in a pool of free amounts, so its payouts are read. */
export const TELLING_DEPOSITS = 10;
/** Read when most of those are dust. */
export const POOL_SAMPLE_MAX = 5_000;

/**
 * Maximum notes that one transaction deposits: each takes about a million gas, and a block has about thirty
 * million.
 */
export const NOTES_MAX = 30n;

/** Counterparties of the traced wallet that are examined. A wallet with more is a kind of service. */
export const COUNTERPARTIES_MAX = 400;
/** Of them, those whose own counterparties are read: this many funders, and this many payees. */
export const GO_BETWEENS_MAX = 100;
/** A go-between with more payees or payers than this is too popular to be evidence. */
export const POPULAR_ABOVE = 16;
/** A go-between with up to this many is almost private. */
export const PRIVATE_UP_TO = 4;
/**
 * A wallet with more payees or payers than this is a business, listed or not. Few people deal with as many in
 * the coin and stablecoins.
 */
export const BUSINESS_ABOVE = 100;
/**
 * Candidates named in a query about go-betweens. With more, it names none and lists the go-betweens'
 * counterparties instead.
 */
export const AMONG_MAX = 2_000;
/** Wallets whose use of the mixer's other pools is compared: one query of as many ranges. */
export const PROFILES_MAX = 1_000;

const GWEI = 10n ** 9n;
const TRANSFER_GAS = 21_000n;
/**
 * The smallest payment of each coin that counts, in raw units: the long-term lowest cost of a plain transfer.
 * On Solana it is the fee of one signature plus the minimum balance of an empty account (0.00089088 SOL).
 * Less is dust, which anybody can send to a stranger.
 */
export const COIN_AT_LEAST_RAW: Readonly<Record<string, bigint>> = {
  SOL: 895_880n,
  ETH: TRANSFER_GAS * GWEI,
  BNB: TRANSFER_GAS * GWEI,
  // Its nodes reject gas prices below 25 to 30 gwei.
  POL: TRANSFER_GAS * 30n * GWEI,
};
/** The same for a stablecoin: advertisements and poisoners send cents. */
export const DOLLARS_AT_LEAST = 1n;
/**
 * A transfer below a hundredth of a wallet's usual ones does not show what the wallet is for: deceiving with
 * it would be cheap.
 */
export const STRAY_PARTS = 100n;

/** Matches whose transactions are read for the service's other payments in them. */
export const FITS_LOOKED_AT_MAX = 200;
/** An amount with this many significant digits is hardly a coincidence. */
export const UNUSUAL_DIGITS = 4;

/** A coin's maximum price move during a swap. Within it the prices at each transfer's own time decide. */
export const PRICE_DRIFT_SHARE = 0.05;
/** Maximum error of two prices derived from trades, together. */
export const PRICE_ERROR_SHARE = 0.005;
/**
 * Nearly the same value: from two thirds to one and a half times, twenty times the uncertainty of prices and
 * fees.
 */
export const NEAR_WORTH = { under: 2n, over: 3n } as const;

/**
 * Time to find the anchor, and time to search. A trace takes milliseconds, so anything longer means that the
 * engine is in trouble.
 */
export const PREPARE_TIMEOUT_MS = 5_000;
export const COMPLETE_TIMEOUT_MS = 15_000;

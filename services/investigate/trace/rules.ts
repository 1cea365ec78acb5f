/** The bounds of tracing, each with its reason. */

export const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 86_400;

/** The specification's windows. */
export const WINDOW_DEFAULT_SECONDS = { mixer: DAY_SECONDS, exchange: HOUR_SECONDS } as const;
export const WINDOW_MAX_SECONDS = 7 * DAY_SECONDS;

/** A busy exchange has as many transfers of one amount in a week only where the amount is the commonest of all. */
export const TRANSFERS_MAX = 20_000;
/** Parts of a free amount that are looked at, those next to it in amount first. */
export const PARTS_MAX = 5_000;
/** The smallest part of an amount, a tenth: every deposit of the mixer could be the whole of a smaller one. */
export const PART_OF_MAX = 10n;
/** Candidates that an answer lists: more equal leads do not help. */
export const CANDIDATES_MAX = 100;
/** As the decisions have it: `window.searched` lists no more. */
export const SEARCHED_MAX = 1_000;
export const TRANSACTION_ROWS_MAX = 10_000;
/** Of the coin and stablecoins, where a transaction holds more than those. */
export const PAID_ROWS_MAX = 20_000;

/** Deposits of a pool from which its denomination is read, and the share of them that has to be equal. */
export const POOL_SAMPLE = 100;
export const FIXED_SHARE = 0.9;
/** Fewer deposits may be equal in a pool of any amounts, too: what it paid is asked. */
export const TELLING_DEPOSITS = 10;
/** Read where most of those are dust. */
export const POOL_SAMPLE_MAX = 5_000;

/** Notes that one transaction brings into a pool at most: each takes some million units of gas, and a block has some thirty. */
export const NOTES_MAX = 30n;

/** Acquaintances of the traced wallet that are looked at; a wallet with more is a service of a kind. */
export const ACQUAINTANCES_MAX = 400;
/** Of them, those whose own acquaintances are read: so many funders, and so many payees. */
export const GO_BETWEENS_MAX = 100;
/** Above this many payees or payers a go-between is known to too many to say who they are. */
export const POPULAR_ABOVE = 16;
/** Up to this many it is all but private. */
export const PRIVATE_UP_TO = 4;
/** Above this many payees, or payers, a wallet is a business, whether a list knows it or not; few people deal with as many in the coin and stablecoins. */
export const BUSINESS_ABOVE = 100;
/** Candidates that a question about go-betweens names; of more it names none, and the go-betweens' circles are listed instead. */
export const AMONG_MAX = 2_000;
/** Wallets whose use of the mixer's other pools is compared: one query of as many ranges. */
export const PROFILES_MAX = 1_000;

const GWEI = 10n ** 9n;
const TRANSFER_GAS = 21_000n;
/**
 * The smallest payment of each coin that counts, in raw units: the lasting lowest cost of a plain transfer. On Solana
 * it is the fee of one signature plus the minimum balance of an empty account (0.00089088 SOL). Less is dust, which
 * anybody can send to a stranger.
 */
export const COIN_AT_LEAST_RAW: Readonly<Record<string, bigint>> = {
  SOL: 895_880n,
  ETH: TRANSFER_GAS * GWEI,
  BNB: TRANSFER_GAS * GWEI,
  // Its nodes take nothing below 25 to 30 gwei.
  POL: TRANSFER_GAS * 30n * GWEI,
};
/** The same of a stablecoin: cents come with advertisements and from poisoners. */
export const DOLLARS_AT_LEAST = 1n;
/** Less than a hundredth of what a wallet is usually paid does not say what the wallet is for: it would be cheap to deceive by it. */
export const STRAY_PARTS = 100n;

/** Matches whose transactions are read to see what the service paid in them beside the recipient. */
export const FITS_LOOKED_AT_MAX = 200;
/** From so many significant digits on, an amount is hardly a coincidence. */
export const UNUSUAL_DIGITS = 4;

/** What a coin can move while a swap is carried out; within it the prices of each transfer's own time decide. */
export const PRICE_DRIFT_SHARE = 0.05;
/** What prices made of trades are off by at most, both of them together. */
export const PRICE_ERROR_SHARE = 0.005;
/** What is nearly as much: from two thirds to half as much again, twenty times what prices and fees leave open. */
export const NEAR_WORTH = { under: 2n, over: 3n } as const;

/** Finding out what is traced, and searching for it; a trace takes milliseconds, and an engine in trouble is not waited for longer. */
export const PREPARE_TIMEOUT_MS = 5_000;
export const COMPLETE_TIMEOUT_MS = 15_000;

/** The thresholds of /victims, each with its reason. */

/** The specification's limit of victims in one answer. */
export const VICTIMS_MAX = 1_000;
export const VICTIMS_DEFAULT = 100;

/** Time for the whole answer. Anything not read by then is reported as missing. */
export const TIME_BUDGET_MS = 60_000;
/** The part of the budget reserved for labels, symbols and prices, which are one round of queries. */
export const TELLING_RESERVE_MS = 10_000;
/** An indexed query that takes longer means that the engine is in trouble. */
export const READ_TIMEOUT_MS = 15_000;

/**
 * Transactions of one address that are examined, on each side. A drainer's busiest address has some
 * thousands.
 */
export const TRANSACTIONS_MAX = 5_000;
/** Transactions read at once; each is a short range of the key. */
export const TRANSACTIONS_AT_ONCE = 500;
/** Rows of one such query. Settlements of solvers have hundreds in a transaction. */
export const ROWS_AT_ONCE = 20_000;
/** Payments from the address back to those who paid it. */
export const PAYMENTS_MAX = 1_000;

/** Smaller payments are sent to anybody: advertisements, tests and poisoning cost cents. */
export const DUST_USD = 0.1;
/**
 * Payments below this part of a typical payment are dust, too, because a deceived victim loses most of what
 * they have.
 */
export const DUST_PARTS = 100;
/** Nobody gives away more than this without a reason, however large the typical payment is. */
export const DUST_USD_MAX = 10;

/**
 * A payment to more wallets than this in one transaction is a payroll or an airdrop; drainers split between
 * two or three.
 */
export const SPLIT_MAX = 4;

/** Other recipients of a loss that are reported for each payer. Partners are two or three. */
export const GETTERS_MAX = 16;

/**
 * A payer that got back this share of the value was paid for it: a sale, a loan or a swap. Hourly prices and
 * thin pools err by less than half.
 */
export const PAID_SHARE = 0.5;

/**
 * From this share on a loss counts as refunded. Thieves who bargain keep a tenth, and prices move meanwhile.
 */
export const REFUNDED_SHARE = 0.9;

/**
 * A wallet that sent this many others their first coin is a faucet, a broker or an exchange, and no victim.
 */
export const POPULAR_FUNDER = 20;

/**
 * Partners share the losses of at least this many payers. With one payer, any second payment would look like
 * a split.
 */
export const PARTNER_PAYERS_MIN = 2;
/** Below this share of the losses it is a fee. */
export const PARTNER_SHARE_MIN = 0.02;

/** Venues and contracts in a row between payer and recipient. */
export const STEPS_MAX = 6;

/** Wallets reported that paid without being victims. */
export const OTHERS_SHOWN = 100;
/** Example transactions of a partner. */
export const EXAMPLES_MAX = 10;

/** Unlisted tokens received by payers whose creator is looked up, together. */
export const TOKENS_ASKED_MAX = 50;

/** Spenders whose grants are read: contracts and wallets that moved what was lost. */
export const HANDS_MAX = 8;
/** Payers whose own grants and acts are read, together. */
export const HOLDERS_ASKED_MAX = 50;
/** Grants read for each of them. */
export const GRANTS_MAX = 2_000;
/**
 * A spender with this many approvals, of whose holders fewer than this share are victims, is a public
 * contract such as a market or a router.
 */
export const PUBLIC_GRANTS_MIN = 200;
export const PUBLIC_VICTIM_SHARE = 0.05;
/** Open grants whose holders' balances are read: the newest, listed assets first. */
export const HELD_MAX = 1_000;
/** Open grants reported, their assets, and token accounts that are checked for a withdrawal. */
export const OPEN_MAX = 100;
/** From this amount on an allowance is unlimited. */
export const UNLIMITED_RAW = 2n ** 255n;

/**
 * Public contracts that move what their users signed for off chain: Permit2
 * (https://github.com/Uniswap/permit2) and the conduit of Seaport
 * (https://github.com/ProjectOpenSea/seaport). Same address on every EVM chain.
 */
export const ORDER_CONTRACTS: ReadonlySet<string> = new Set([
  '0x000000000022d473030f116ddee9f6b43ac78ba3',
  '0x1e0049783f008a0085193e00003d00cd54003c71',
]);

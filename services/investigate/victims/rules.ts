/** The thresholds of /victims, each with its reason. */

/** What the specification allows of victims in one answer. */
export const VICTIMS_MAX = 1_000;
export const VICTIMS_DEFAULT = 100;

/** Time for the whole answer; what is not read by then is told as missing. */
export const TIME_BUDGET_MS = 60_000;
/** Of it, what naming and pricing keep for themselves: labels, symbols and prices are one round of questions. */
export const TELLING_RESERVE_MS = 10_000;
/** One indexed question that takes longer is an engine in trouble. */
export const READ_TIMEOUT_MS = 15_000;

/** Transactions of one address that are looked through, of each side. A drainer's busiest address has some thousands. */
export const TRANSACTIONS_MAX = 5_000;
/** Transactions asked for at once: each is a short range of the key. */
export const TRANSACTIONS_AT_ONCE = 500;
/** Rows of one such question: settlements of solvers have hundreds a transaction. */
export const ROWS_AT_ONCE = 50_000;
/** What the address paid back to those who paid it. */
export const PAYMENTS_MAX = 20_000;

/** Less than this is sent to anybody: advertisements, tests and poison cost cents. */
export const DUST_USD = 0.1;
/** So is less than this part of what the address is usually paid: who is deceived loses what he has. */
export const DUST_PARTS = 100;
/** Nobody sends away so much without a reason, however rich the address is. */
export const DUST_USD_MAX = 10;

/** A payment to more wallets than this in one transaction is a payroll or an airdrop; drainers split between two or three. */
export const SPLIT_MAX = 4;

/** Who else got a part of a loss, told of each payer: partners share with two or three. */
export const GETTERS_MAX = 16;

/**
 * Who got back so much of what he gave was paid for it: a sale, a loan, a swap. Prices of an hour and thin pools are off by
 * less than half.
 */
export const PAID_SHARE = 0.5;

/** From so much on a loss counts as refunded: thieves who bargain keep a tenth, and prices move meanwhile. */
export const REFUNDED_SHARE = 0.9;

/** Who sent their first coin to so many wallets is a faucet, a broker or an exchange, and nobody's victim. */
export const POPULAR_FUNDER = 20;

/** Partners share the loot of at least so many different payers: of one payer, any second payment would look like a split. */
export const PARTNER_PAYERS_MIN = 2;
/** Below this share of the loot it is a fee. */
export const PARTNER_SHARE_MIN = 0.02;

/** Venues and contracts one behind the other, between who paid and who got it. */
export const STEPS_MAX = 6;

/** Wallets named of those that paid and are no victims. */
export const OTHERS_SHOWN = 100;
/** Example transactions of a partner. */
export const EXAMPLES_MAX = 10;

/** Unlisted tokens that payers got of which is asked who made them, one question each. */
export const TOKENS_ASKED_MAX = 50;

/** Whom a spender may be looked up of: contracts and wallets that moved what was lost. */
export const HANDS_MAX = 8;
/** Grants to one of them that are read. */
export const GRANTS_MAX = 2_000;
/** A spender that so many allow whose victims are fewer than this part is a public contract, as a market or a router is. */
export const PUBLIC_GRANTS_MIN = 200;
export const PUBLIC_VICTIM_SHARE = 0.05;
/** Open grants of which is asked what their holders have: the newest, listed assets first. */
export const HELD_MAX = 1_000;
/** Open grants shown, their assets asked for, and token accounts of which is asked whether the grant was withdrawn. */
export const OPEN_MAX = 100;
/** From here on an allowance means: everything, for ever. */
export const UNLIMITED_RAW = 2n ** 255n;

/**
 * Public contracts that move what their users signed for off chain: Permit2 (https://github.com/Uniswap/permit2) and the
 * conduit of Seaport (https://github.com/ProjectOpenSea/seaport), the same on every EVM chain.
 */
export const ORDER_CONTRACTS: ReadonlySet<string> = new Set([
  '0x000000000022d473030f116ddee9f6b43ac78ba3',
  '0x1e0049783f008a0085193e00003d00cd54003c71',
]);

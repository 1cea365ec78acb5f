/**
 * When an address counts as an exchange's deposit address. Victor, "Address clustering heuristics for
 * Ethereum", 2020: what arrives is passed on to a hot wallet within t_max, less at most a_max. A sweep here
 * may collect several payments. The confidence is Tutela's, ½[(1 − Δt/t_max) + (1 − Δa/a_max)] (Wu et al.,
 * 2022), as a mean over all sweeps.
 */

/** Victor's 3,200 blocks of 13.5 seconds. */
export const SWEEP_T_MAX_SECONDS = 43_200;

/** The latest sweep that still counts; its time adds nothing to the confidence. */
export const SWEEP_LATEST_SECONDS = 86_400;

/**
 * Victor's 0.01 ether, for every chain's coin: the maximum that a sweep may leave behind, including gas for
 * the next one.
 */
export const COIN_LEFT_MAX = 0.01;

/** A token leaves nothing behind. A hundredth covers tokens that take a fee. */
export const TOKEN_LEFT_PARTS = 100;

/** A single sweep may be a person who changed wallets. */
export const SWEEPS_MIN = 2;

export const FORWARDED_SHARE_MIN = 0.8;

/**
 * A customer pays from a handful of wallets. A shop with many payers forwards as regularly, to its own
 * account.
 */
export const SENDERS_MAX = 30;

/** Counts only the payers of most of the money, because tiny payments from a crowd must not count. */
export const SENDERS_SHARE = 0.95;

/**
 * Leaving money at an address so that it misses its share, or sending it some so that it looks like a trader,
 * costs more than this.
 */
export const LITTLE_DOLLARS = 100;

/**
 * Money from the exchange that goes back belongs to a trading customer, not to the exchange's own address.
 */
export const FROM_EXCHANGE_SHARE_MAX = 0.2;

/** The source of derived labels. */
export const DEPOSIT_LABEL_SOURCE = 'behaviour';

/** A list that somebody checked overrides any behaviour. */
export const DEPOSIT_CONFIDENCE_MAX = 0.9;

/**
 * A label is updated only when its confidence changed by this much, because every sweep moves it a little.
 */
export const DEPOSIT_CONFIDENCE_STEP = 0.1;

/** Payments to others as a share of all: a deposit address has no other business. */
export const STRAY_SHARE_MAX = 0.2;

/** The maximum number of them, so that an address that is busy elsewhere is checked only once. */
export const STRAYS_MAX = 100;

/**
 * When an address counts as an exchange's deposit address. Victor, "Address clustering heuristics for Ethereum", 2020:
 * what arrives is passed on to a hot wallet within t_max, less no more than a_max; a sweep here may collect several
 * payments. The confidence is Tutela's, ½[(1 − Δt/t_max) + (1 − Δa/a_max)] (Wu et al., 2022), its mean over all sweeps.
 */

/** Victor's 3,200 blocks of 13.5 seconds. */
export const SWEEP_T_MAX_SECONDS = 43_200;

/** The latest that still counts, with nothing for its time in the confidence. */
export const SWEEP_LATEST_SECONDS = 86_400;

/** Victor's 0.01 ether, of every chain's coin: what a sweep of it may leave behind, gas for the next one included. */
export const COIN_LEFT_MAX = 0.01;

/** A token leaves nothing behind; a hundredth covers those that take a fee. */
export const TOKEN_LEFT_PARTS = 100;

/** Once may be a person who moved house. */
export const SWEEPS_MIN = 2;

export const FORWARDED_SHARE_MIN = 0.8;

/** A customer pays from a handful of wallets. A shop that many pay forwards just as faithfully, to its own account. */
export const SENDERS_MAX = 30;

/** Payers are counted by who brought most of the money: a millionth of a dollar from each of a crowd makes no crowd. */
export const SENDERS_SHARE = 0.95;

/**
 * Leaving money at an address so that it misses its share, or dropping some to make it look like a trader, costs more
 * than this.
 */
export const LITTLE_DOLLARS = 100;

/** Money that came from the exchange and goes back is somebody trading there, not the exchange's own address. */
export const FROM_EXCHANGE_SHARE_MAX = 0.2;

/** The source of derived labels. */
export const DEPOSIT_LABEL_SOURCE = 'behaviour';

/** Whatever the behaviour looks like, a list that somebody checked goes before it. */
export const DEPOSIT_CONFIDENCE_MAX = 0.9;

/** Said again only when it has changed so much: every sweep moves it a little. */
export const DEPOSIT_CONFIDENCE_STEP = 0.1;

/** Payments to others, as a part of all: a deposit address has no other business. */
export const STRAY_SHARE_MAX = 0.2;

/** And never more of them, so that who is busy elsewhere need be found so only once. */
export const STRAYS_MAX = 100;

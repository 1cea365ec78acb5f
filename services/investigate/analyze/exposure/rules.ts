/** Limits of the exposure search. What they leave out is reported as `unattributed`. */

/** Maximum hops to a labelled party. Beyond this the shares are guesses. */
export const EXPOSURE_HOPS_MAX = 4;

/** Wallets examined in each hop, those with most of the money. One query reads them all. */
export const FRONTIER_MAX = 100;
/**
 * Minimum share of all inflow or outflow. A hundred skipped wallets together are at most a tenth, and usually
 * far less.
 */
export const FRONTIER_SHARE_MIN = 0.001;

/**
 * A wallet with more counterparties than this is a service, a desk or a bot, and mixes its customers' money.
 */
export const PARTIES_MAX = 100;
/** A wallet that pays this many and never signs is code. */
export const PAYEES_OF_CODE = 3;

/** Transfers reported for each party. */
export const STEPS_TOLD_MAX = 5;

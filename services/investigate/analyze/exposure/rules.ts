/** The bounds of exposure. What they leave out is `unattributed`, and an answer tells how much that is. */

/** A labelled party is at most so many hops away: behind that the shares are a guess. */
export const EXPOSURE_HOPS_MAX = 4;

/** Wallets of a hop that are looked at, those with most of the money: one question reads them all. */
export const FRONTIER_MAX = 100;
/** Of all that came in (went out); a hundred wallets below this are a tenth of it at most, and mostly far less. */
export const FRONTIER_SHARE_MIN = 0.001;

/** Whoever deals with more others is a till, a desk or a bot: money that passes it is nobody's in particular. */
export const PARTIES_MAX = 100;
/** What pays so many and never signs is code. */
export const PAYEES_OF_CODE = 3;

/** Transfers told of each party. */
export const STEPS_TOLD_MAX = 5;

/** The limits and thresholds of profiles, each with its reason. */

/** The time budget of one profile. Parts not read by then make the answer `partial`. */
export const TIME_BUDGET_MS = 20_000;

/** From the 1,001st transaction on a profile costs three analyses, so there is no need to count further. */
export const COUNTED_TRANSACTIONS_MAX = 1_001;

/** The newest rows of a wallet that are read individually. Sums and counts cover all rows. */
export const ENTRIES_MAX = 20_000;

/** Maximum steps back through first funders. The chain also ends at the first service. */
export const FUNDING_STEPS_MAX = 8;

/** Counterparties reported, and transfers of each that /trace accepts. */
export const CONNECTIONS_MAX = 50;
export const CONNECTION_TRANSFERS_MAX = 10;
/** The largest counterparties, whose labels are looked up. */
export const LABELLED_MAX = 2_000;

/**
 * Anybody can send tokens to a wallet. Beyond this many most-used ones, only the coin and listed tokens are
 * reported.
 */
export const BALANCES_MAX = 100;

/** Assets whose balance a node is asked for when the rows do not give it. Each is a request of its own. */
export const BALANCES_ASKED_MAX = 8;

/** Example transactions reported for a behaviour. */
export const EXAMPLES_MAX = 5;

/** Hours for which prices are read individually. A wallet with more hours is priced by the day. */
export const PRICED_HOURS_MAX = 400;
export const PRICED_DAYS_MAX = 2_000;

/** Look-alikes reported, and counterparties of a suspected imitation whose own counterparties are read. */
export const LOOKALIKES_MAX = 50;
export const LOOKALIKE_VICTIMS_MAX = 50;
export const COUNTERPARTIES_MAX = 100;

/**
 * Payments to the wallet whose whole transactions are read, the maximum for each payer, and the maximum of
 * rows.
 */
export const SIBLING_TRANSACTIONS_MAX = 60;
export const SIBLINGS_EACH_MAX = 20;
/** Transactions that the wallet sent without being a party of a transfer. */
export const SENT_TRANSACTIONS_MAX = 40;
export const SIBLING_ROWS_MAX = 6_000;

/** Labelled parties reported for each signal, the largest. */
export const PARTIES_TOLD_MAX = 5;

/**
 * When the coin has no price within six hours, the nearest price up to this distance counts. The coin moves
 * by a few per cent a day; leaving the payments out would change the exposure far more.
 */
export const COIN_REACH_HOURS = 72;

/** The limits and thresholds of profiles, each with its reason. */

/** The decision's budget for one profile; what is not read by then makes the answer `partial`. */
export const TIME_BUDGET_MS = 20_000;

/** From the 1,001st transaction on a profile costs three analyses; counting further would say nothing more. */
export const COUNTED_TRANSACTIONS_MAX = 1_001;

/** The newest rows of a wallet that are read one by one. Sums and counts are of all rows. */
export const ENTRIES_MAX = 20_000;

/** First funders of first funders: eight steps, or the first service. */
export const FUNDING_STEPS_MAX = 8;

/** Counterparties told, and transfers of each that /trace takes. */
export const CONNECTIONS_MAX = 50;
export const CONNECTION_TRANSFERS_MAX = 10;
/** Counterparties whose labels are asked for: the largest. */
export const LABELLED_MAX = 2_000;

/** Anybody can send a wallet tokens; after these, the most used, only the coin and listed tokens are told. */
export const BALANCES_MAX = 100;

/** Assets of which a node of the chain is asked, where rows do not tell: each is a question of its own. */
export const BALANCES_ASKED_MAX = 8;

/** Transactions that stand for a behaviour. */
export const EXAMPLES_MAX = 5;

/** Hours that prices are asked for one by one; a wallet of more is priced by the day. */
export const PRICED_HOURS_MAX = 400;
export const PRICED_DAYS_MAX = 2_000;

/** Look-alikes told, and counterparties of a suspected imitation whose own acquaintances are read. */
export const LOOKALIKES_MAX = 50;
export const LOOKALIKE_VICTIMS_MAX = 50;
export const ACQUAINTANCES_MAX = 100;

/** Payments to the wallet whose whole transactions are looked at, those of each payer, and rows of these at most. */
export const SIBLING_TRANSACTIONS_MAX = 60;
export const SIBLINGS_EACH_MAX = 20;
/** Transactions that the wallet sent for others, and was no party of. */
export const SENT_TRANSACTIONS_MAX = 40;
export const SIBLING_ROWS_MAX = 6_000;

/** Labelled parties told of each reason, the largest. */
export const PARTIES_TOLD_MAX = 5;

/**
 * Where the coin had no market within six hours, its nearest price counts, this far. It moves by a few per cent a day; leaving the
 * payments out moves exposure by far more.
 */
export const COIN_REACH_HOURS = 72;

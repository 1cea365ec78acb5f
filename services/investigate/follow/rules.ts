/**
 * The thresholds of following, each with its reason. Fractions are integers over `PARTS`, so that amounts far above 2^53
 * are compared exactly.
 */
export const PARTS = 100n;

/**
 * Below this part of what arrived, what left is change: gas money, a test transfer, a small debt. The bulk still lies
 * there, and naming a hop would point at the wrong wallet.
 */
export const MOVED_ON_MIN_PARTS = 10n;

/** A destination is "the main stream" only when no other can have got more: half of what left. */
export const MAJORITY_PARTS = 50n;

/** Without a majority the trail has split only when most of the money is really gone; before that it rests. */
export const SPLIT_MIN_PARTS = 50n;

/**
 * Branches shown of a split, as many as can be looked up in time: launderers pay dozens of wallets at once, the small test
 * payments among them lead to the same people, and each branch left out is a trail lost.
 */
export const BRANCHES_MAX = 100;
/** Destinations shown beside the one that a hop followed. They got less than half of what left between them. */
export const OTHERS_MAX = 20;
/** Beside all hops together: each is one more transaction to look up before the answer. */
export const OTHERS_PER_TRAIL_MAX = 100;

/** Transactions named of one hop, and of all hops of a trail together: each is a hash to look up before the answer. */
export const TRANSACTIONS_MAX = 100;
export const TRANSACTIONS_PER_TRAIL_MAX = 1_000;

/**
 * What is kept of money that passes through: gas, a service's fee. A payment that is smaller than a receipt by more than
 * this does not clearly pass it on.
 */
export const PASSAGE_FEE_MAX_PARTS = 2n;

/** With more payments than these the last is so small that their sum comes within a fee of what arrived by chance. */
export const UNAMBIGUOUS_PAYMENTS_MAX = 5;

/**
 * A receipt of less than this part of what arrived explains no payment that decides anything, and such a payment decides nothing: a page
 * that is mostly of such was filled by spam, or on purpose. To fill it with larger ones takes a twentieth of the money.
 */
export const DUST_OF_ARRIVED = 10_000n;

/**
 * An amount that agrees but for a fee weighs as much as ten parts: within two per cent one in fifty agrees by chance, and one
 * passage in five is of all that came.
 */
export const PASSAGE_WEIGHT = 10;
/** A receipt that is not passed on by one payment, but kept or paid out in pieces, beside 1 for one that is. */
export const KEPT_WEIGHT = 0.5;
/** Payments after a receipt, and of its amount, among which the one that passes it on is looked for: it weighs less the later it comes. */
export const PAYMENTS_LOOKED_AT = 64;
/** The largest arrivals of the followed money are matched with payments: as many as others' receipts are read. */
export const RECEIPTS_MAX = 1_000;
/** Smaller differences of time say nothing: clocks of some chains' nodes are a minute apart. */
export const BLOCK_SECONDS_MAX = 60;

/** Transactions of one hop, the largest of them, that say whether the money was sold: of equal payments that is sample enough. */
export const SALE_CARRIERS_MAX = 20;
/** Rows of transactions read at once: settlements of solvers have hundreds, and who wants to hide one can add ten thousand. */
export const SALE_ROWS_MAX = 50_000;
/** Questions about whole transactions: a trail with transactions that full is answered in part. */
export const SALE_QUESTIONS_MAX = 4;
/**
 * What was got for money is worth about as much: prices of an hour and thin pools are off by less than this. Less is a tip, or gas that
 * a smart account refunds to the sender of its transaction.
 */
export const SALE_WORTH_MIN = 0.1;
/** Where the worth of the money is unknown: nobody asks about less, and payments of less go beside anything. */
export const SALE_USD_MIN = 1;
/** Assets that money is sold through within one transaction. */
export const SALE_STEPS_MAX = 10;
/** Assets of one transaction whose prices are read, listed ones first. */
export const SALE_ASSETS_MAX = 100;
/** Of a trail, evenly from each transaction: fifty hops of twenty transactions full of tokens would ask for a hundred thousand. */
export const SALE_MOMENTS_MAX = 10_000;

/** The largest payments of a wallet: whether contracts passed them on at once is looked up for so many. */
export const WAYS_MAX = 100;
/** Contracts one behind the other within one transaction. */
export const PASSED_MAX = 10;

/** Transactions looked through at once for money that came back in them. */
export const CYCLES_MAX = 1_000;
/** Ways by which it is looked for within one of them. */
export const CYCLES_OF_ONE_MAX = 20;

/** What a bridge keeps at most of what it carries. */
export const BRIDGE_FEE_MAX_PARTS = 1n;
/** Nine crossings in ten take less than an hour; after a day, amounts fit by chance. */
export const BRIDGE_SECONDS_MAX = 86_400;

export const HOPS_MAX = 50;
export const HOPS_DEFAULT = 25;

/** What is read at once of a flow: enough to fill a question, few enough that what is likely comes first. */
export const FRONTIER_AT_ONCE = 50;
/** Of one flow. The answer says what is beyond them and was not followed. */
export const FLOW_WALLETS_MAX = 2_000;
export const FLOW_PAYMENTS_MAX = 50_000;
/** Rows that one flow keeps in memory: some hundred megabytes. */
export const FLOW_ROWS_MAX = 2_000_000;
/** Of one wallet, those that are expected to have got most. */
export const PAYEES_PER_WALLET_MAX = 200;
/** How often a wallet is decided again, as more reaches it: money that goes round would come for ever. */
export const DECISIONS_PER_WALLET_MAX = 8;
/** That a payment is the money though as much as arrived had left before it. */
export const BEYOND_SUM_CHANCE = 0.3;
export const TRANSACTIONS_PER_EDGE_MAX = 20;
/** A payment that is less probable is no lead, unless the request says otherwise. */
export const MIN_PROBABILITY_DEFAULT = 0.05;
/** Wallets named as starts beside the first. */
export const STARTS_MAX = 50;
/** Questions to the tables: a flow of 300 wallets needs about a hundred. */
export const FLOW_CALLS_DEFAULT = 500;
export const FLOW_CALLS_MAX = 2_000;

/** The specification's "up to about 90 seconds". */
export const TIME_BUDGET_MS = 90_000;
/** Of it, what is kept for naming the transactions that were found and what they were worth: two reads at once. */
export const SIGNING_RESERVE_MS = 5_000;
/** Of that, what the last look for swaps leaves alone: hops without their hashes are no answer, and without that look a doubtful one. */
export const HASHES_RESERVE_MS = 2_500;

/** One query gets no more than this of the budget: an indexed read that takes longer is an engine in trouble. */
export const READ_TIMEOUT_MS = 20_000;

/**
 * Rows of the first page. Nearly every wallet fits, and a thousand rows cost the engine no more than ten: it reads whole
 * granules.
 */
export const FIRST_PAGE_ROWS = 1_000;
/** Wallets that need a second page are busy ones; fewer, larger pages are cheaper there. */
export const NEXT_PAGE_ROWS = 10_000;
/** Where reading one side of a wallet stops (some seconds of work, tens of megabytes): an answer says so when it was cut. */
const ROWS_PER_WALLET_MAX = 100_000;
export type PageSizes = { readonly firstRows: number; readonly nextRows: number; readonly maxRows: number };
export const PAGE_SIZES: PageSizes = {
  firstRows: FIRST_PAGE_ROWS,
  nextRows: NEXT_PAGE_ROWS,
  maxRows: ROWS_PER_WALLET_MAX,
};

/**
 * Look-alikes: address grinding matches the digits that wallets show of an address they abbreviate, at least three at
 * either end. By chance two EVM addresses agree there once in 16 million pairs.
 */
export const LOOKALIKE_PREFIX = 3;
export const LOOKALIKE_SUFFIX = 3;
/** Poison costs its sender money, so it is small: a hundredth of what went to the address it imitates is generous. */
export const LOOKALIKE_DUST_PARTS = 1n;

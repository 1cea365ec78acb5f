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

/** A destination is "the main stream" if it got half of what left, so that no other can have got more. */
export const MAJORITY_PARTS = 50n;

/** Without a majority the trail has split only if most of the money is gone. Otherwise it rests. */
export const SPLIT_MIN_PARTS = 50n;

/**
 * Branches shown of a split, as many as can be looked up in time: launderers pay dozens of wallets at once, the small test
 * payments among them lead to the same people, and each branch left out is a trail lost.
 */
export const BRANCHES_MAX = 100;
/** Destinations shown beside the one that a hop followed. They got less than half of what left between them. */
export const OTHERS_MAX = 20;
/** The same for all hops together: each is one more transaction to look up before the answer. */
export const OTHERS_PER_TRAIL_MAX = 100;

/** Transactions named of one hop, and of all hops of a trail together: each is a hash to look up before the answer. */
export const TRANSACTIONS_MAX = 100;
export const TRANSACTIONS_PER_TRAIL_MAX = 1_000;

/**
 * What is kept of money that passes through: gas, a service's fee. A payment that is smaller than a receipt by more than
 * this does not clearly pass it on.
 */
export const PASSAGE_FEE_MAX_PARTS = 2n;

/** With more payments than this, their sum may come within a fee of what arrived by chance. */
export const UNAMBIGUOUS_PAYMENTS_MAX = 5;

/**
 * Receipts and payments below this part of what arrived are dust and decide nothing. A page full of dust was filled by spam or on
 * purpose. Filling it with larger rows would cost a twentieth of the money.
 */
export const DUST_OF_ARRIVED = 10_000n;

/**
 * A payment of the whole amount (less a fee) weighs as much as ten partial ones: one amount in fifty agrees within two per cent by
 * chance, and one receipt in five is passed on whole.
 */
export const PASSAGE_WEIGHT = 10;
/** The weight of a receipt that is kept or paid out in pieces, compared with 1 for one that a payment passes on. */
export const KEPT_WEIGHT = 0.5;
/** How many payments after a receipt, and of its amount, may match it. Later payments weigh less. */
export const PAYMENTS_LOOKED_AT = 64;
/** The largest arrivals of the followed money are matched with payments: as many as others' receipts are read. */
export const RECEIPTS_MAX = 1_000;
/** Smaller time differences mean nothing: the clocks of some chains' nodes are a minute apart. */
export const BLOCK_SECONDS_MAX = 60;

/** The largest transactions of a hop decide whether the money was sold. A sample is enough. */
export const SALE_CARRIERS_MAX = 20;
/** Rows of whole transactions per read. Solver settlements have hundreds; somebody who hides a transaction can add ten thousand. */
export const SALE_ROWS_MAX = 50_000;
/**
 * What was got for money is worth about as much: prices of an hour and thin pools are off by less than this. Less is a tip, or gas that
 * a smart account refunds to the sender of its transaction.
 */
export const SALE_WORTH_MIN = 0.1;
/** The least worth of proceeds if the worth of the money is unknown. Smaller payments accompany anything. */
export const SALE_USD_MIN = 1;
/** Assets that money is sold through within one transaction. */
export const SALE_STEPS_MAX = 10;
/** Assets of one transaction whose prices are read, listed ones first. */
export const SALE_ASSETS_MAX = 100;
/** The same per trail, taken evenly from each transaction: fifty hops of twenty full transactions would need a hundred thousand. */
export const SALE_MOMENTS_MAX = 10_000;

/** How many of a wallet's payments, largest first, are followed through contracts. */
export const WAYS_MAX = 100;
/** Contracts in a row within one transaction. */
export const PASSED_MAX = 10;

/** A contract that so many others pay is no one person's: a thief's own contract is paid by a few of his wallets. */
export const POOL_PAYERS_MIN = 5;
/** Payers count this long before and after the money came: a quarter of a year. */
export const POOL_SECONDS = 90 * 86_400;

/** Transactions that are searched for refunds at once. */
export const CYCLES_MAX = 1_000;
/** Cycles that are removed per transaction. */
export const CYCLES_OF_ONE_MAX = 20;

/** The largest part of an amount that a bridge keeps as its fee. */
export const BRIDGE_FEE_MAX_PARTS = 1n;
/** Nine crossings in ten take less than an hour; after a day, amounts fit by chance. */
export const BRIDGE_SECONDS_MAX = 86_400;

export const HOPS_MAX = 50;
export const HOPS_DEFAULT = 25;

/** Wallets of a flow per read: enough to fill a question, few enough that likely ones come first. */
export const FRONTIER_AT_ONCE = 50;
/** Limits of one flow. The answer names what they left out. */
export const FLOW_WALLETS_MAX = 2_000;
/**
 * Rows that one flow reads. Each stays in memory and takes a kilobyte, with what is made of it. A flow of 600 wallets needs 20,000. Above
 * this number no further page and no further step of wallets is read.
 */
export const FLOW_ROWS_MAX = 60_000;
/** The wallets of the last step are still read, by their first pages. Above this number that fails, too. */
export const FLOW_ROWS_REFUSED = 250_000;
/** Recipients that are followed per wallet: those expected to have got most. */
export const PAYEES_PER_WALLET_MAX = 200;
/** How often a wallet is decided again as more money reaches it. Money that goes round would never stop. */
export const DECISIONS_PER_WALLET_MAX = 8;
/** The probability that a payment is the money although the whole sum had left before it. */
export const BEYOND_SUM_CHANCE = 0.3;
/** While a flow waits for the tables others are answered. A second in which it computes uses up as much of its time as so many in which it waits. */
export const WORK_WEIGHT = 4;
export const TRANSACTIONS_PER_EDGE_MAX = 20;
/** Payments into bridges whose far side is looked for. */
export const CROSSINGS_MAX = 20;
/** Less probable payments are not followed, unless the request says otherwise. */
export const MIN_PROBABILITY_DEFAULT = 0.05;
/** Starts beside the first one. */
export const STARTS_MAX = 50;
/** Questions to the tables: a flow of 300 wallets needs about a hundred. */
export const FLOW_CALLS_DEFAULT = 500;
export const FLOW_CALLS_MAX = 2_000;

/** The specification's "up to about 90 seconds". */
export const TIME_BUDGET_MS = 90_000;
/** The reserve for hashes and prices at the end: two reads at once. */
export const SIGNING_RESERVE_MS = 5_000;
/** The part of the reserve that the last check for swaps must leave. Without hashes there is no answer; without the check it is doubtful. */
export const HASHES_RESERVE_MS = 2_500;

/** The limit of one query. If an indexed read takes longer, the engine is in trouble. */
export const READ_TIMEOUT_MS = 20_000;

/**
 * Rows of the first page. Nearly every wallet fits, and a thousand rows cost the engine no more than ten: it reads whole
 * granules.
 */
export const FIRST_PAGE_ROWS = 1_000;
/** Wallets that need a second page are busy ones; fewer, larger pages are cheaper there. */
export const NEXT_PAGE_ROWS = 10_000;
/** Rows per side of a wallet (some seconds of work, tens of megabytes). The answer says if a read was cut. */
const ROWS_PER_WALLET_MAX = 100_000;
export type PageSizes = {
  readonly firstRows: number;
  readonly nextRows: number;
  readonly maxRows: number;
  /** Whether no further page may be read, of any wallet. */
  readonly isFull?: () => boolean;
};
export const PAGE_SIZES: PageSizes = {
  firstRows: FIRST_PAGE_ROWS,
  nextRows: NEXT_PAGE_ROWS,
  maxRows: ROWS_PER_WALLET_MAX,
};
/** One busy wallet of a flow leaves room for others, and many are read together. */
export const FLOW_PAGE_SIZES: PageSizes = { ...PAGE_SIZES, nextRows: FIRST_PAGE_ROWS, maxRows: 20_000 };

/**
 * Look-alikes: address grinding matches the digits that wallets show of an address they abbreviate, at least three at
 * either end. By chance two EVM addresses agree there once in 16 million pairs.
 */
export const LOOKALIKE_PREFIX = 3;
export const LOOKALIKE_SUFFIX = 3;
/** Poison costs its sender money, so it is small: a hundredth of what went to the address it imitates is generous. */
export const LOOKALIKE_DUST_PARTS = 1n;

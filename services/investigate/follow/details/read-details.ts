import { largestFirst } from '../../model/amount.ts';
import type { Price } from '../../model/price-reader.ts';
import { type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';
import { type BudgetedRead, unlessUnread } from '../follow-reader.ts';
import type { Inflow } from '../payments/inflow.ts';
import { type ReadTransactions, readTransactions } from '../read-transactions.ts';
import { SALE_CARRIERS_MAX, TRANSACTIONS_MAX, TRANSACTIONS_PER_TRAIL_MAX } from '../rules.ts';
import type { FoundHop, FoundTrail } from '../trail.ts';

/** What there is to show of the transactions of a trail. */
export type Details = {
  /** By place. */
  readonly hashes: ReadonlyMap<string, string>;
  /** What the followed asset was worth, by the unix second; missing where it was not asked or could not be read. */
  readonly prices: ReadonlyMap<number, Price | null>;
  /** Those that carried a hop, as far as they say what it was. */
  readonly carriers: ReadTransactions;
};

export type Transactions = {
  readonly carriers: readonly TransactionPosition[];
  readonly others: readonly TransactionPosition[];
  /** Of which nothing but the hash is shown. */
  readonly named: readonly TransactionPosition[];
};

/**
 * One read each of rows, hashes and prices, at once. The rows of a transaction name it too: hashes are asked only of others.
 * Throws `ReadFailedError` where rows or hashes cannot be read, `BudgetSpentError` where it took too long.
 */
export const readDetails = async (
  trail: Pick<FoundTrail, 'chain' | 'asset'>,
  { carriers, others, named: hashOnly }: Transactions,
  read: BudgetedRead,
): Promise<Details> => {
  const [told, hashes, prices] = await Promise.all([
    readTransactions(trail.chain, carriers, read),
    readHashes(trail, [...others, ...hashOnly], read),
    readPrices(trail, [...carriers, ...others], read),
  ]);
  const named = new Map([
    ...hashes,
    ...[...told.rows].flatMap(([key, [row]]) => (row ? [[key, row.hash] as const] : [])),
  ]);
  // Where rows are more than were read.
  const unnamed = carriers.filter((carrier) => !named.has(transactionKey(carrier)));
  return { hashes: new Map([...named, ...(await readHashes(trail, unnamed, read))]), prices, carriers: told };
};

const readHashes = async (
  { chain }: Pick<FoundTrail, 'chain'>,
  positions: readonly TransactionPosition[],
  read: BudgetedRead,
): Promise<(readonly [string, string])[]> => {
  if (positions.length === 0) return [];
  const asked = { chain: chain.name, positions };
  const hashes = await read((reader, limits) => reader.transactionHashes({ ...asked, ...limits }));
  return positions.flatMap((position, at) => {
    const hash = hashes[at] ?? null;
    return hash === null ? [] : [[transactionKey(position), hash] as const];
  });
};

/** A worth is an addition: where prices cannot be read, the trail stands without it. */
const readPrices = async (
  { chain, asset: { canonicalAsset } }: Pick<FoundTrail, 'chain' | 'asset'>,
  positions: readonly TransactionPosition[],
  read: BudgetedRead,
): Promise<Details['prices']> => {
  const seconds = [...new Set(positions.map(({ blockTime }) => blockTime))];
  if (seconds.length === 0) return new Map();
  const moments = seconds.map((timeUnixSeconds) => ({ canonicalAsset, timeUnixSeconds }));
  const reading = read((_, limits, { prices }) => prices.prices({ chain, moments, ...limits }));
  const prices = await unlessUnread(reading, []);
  return new Map(seconds.map((second, at) => [second, prices[at] ?? null]));
};

/** The largest transactions, which say what a hop was: first the one that it is shown by. */
export const pickCarriers = ({ carriers }: Pick<FoundHop, 'carriers'>): readonly Inflow[] =>
  carriers.toSorted(largestFirst).slice(0, SALE_CARRIERS_MAX);

/** Of each hop the largest transactions, in the trail's order: those that an answer names. */
export const pickNamed = (hops: readonly Pick<FoundHop, 'carriers'>[]): readonly (readonly Inflow[])[] => {
  const fairShare = Math.floor(TRANSACTIONS_PER_TRAIL_MAX / Math.max(1, hops.length));
  const most = Math.max(SALE_CARRIERS_MAX, Math.min(TRANSACTIONS_MAX, fairShare));
  return hops.map(({ carriers }) => {
    if (carriers.length <= most) return carriers;
    const largest = new Set(carriers.toSorted(largestFirst).slice(0, most));
    return carriers.filter((carrier) => largest.has(carrier));
  });
};

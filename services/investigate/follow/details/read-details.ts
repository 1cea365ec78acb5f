import type { Price } from '../../model/price-reader.ts';
import { type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';
import { type BudgetedRead, unlessUnread } from '../follow-reader.ts';
import { type ReadTransactions, readTransactions } from '../read-transactions.ts';
import type { FoundTrail } from '../trail.ts';

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

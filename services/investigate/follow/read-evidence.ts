import type { Price } from '../model/price-reader.ts';
import {
  ReadFailedError,
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../model/transfer-reader.ts';
import type { BudgetedRead } from './follow-reader.ts';
import { SALE_ROWS_MAX } from './rules.ts';
import type { FoundTrail } from './trail.ts';

/** What there is to show of the transactions of a trail. */
export type Evidence = {
  /** By place. */
  readonly hashes: ReadonlyMap<string, string>;
  /** What the followed asset was worth, by the unix second; missing where it was not asked or could not be read. */
  readonly prices: ReadonlyMap<number, Price | null>;
  /** Every hand-over of those that carried a hop, as far as they say what it was. */
  readonly rows: readonly TransactionRow[];
};

export type Transactions = {
  /** Those that carried a hop, as far as they say what it was. */
  readonly carriers: readonly TransactionPosition[];
  readonly others: readonly TransactionPosition[];
};

/**
 * One read each of rows, hashes and prices, at once. The rows of a transaction name it too: hashes are asked only of others.
 * Throws `ReadFailedError` where rows or hashes cannot be read, `BudgetSpentError` where it took too long.
 */
export const readEvidence = async (
  trail: Pick<FoundTrail, 'chain' | 'asset'>,
  { carriers, others }: Transactions,
  read: BudgetedRead,
): Promise<Evidence> => {
  const [rows, hashes, prices] = await Promise.all([
    readRows(trail, carriers, read),
    readHashes(trail, others, read),
    readPrices(trail, [...carriers, ...others], read),
  ]);
  const named = new Map([...hashes, ...rows.map((row) => [transactionKey(row), row.hash] as const)]);
  // Where rows are more than were read.
  const unnamed = carriers.filter((carrier) => !named.has(transactionKey(carrier)));
  return { hashes: new Map([...named, ...(await readHashes(trail, unnamed, read))]), prices, rows };
};

const readRows = async (
  { chain }: Pick<FoundTrail, 'chain'>,
  positions: readonly TransactionPosition[],
  read: BudgetedRead,
): Promise<readonly TransactionRow[]> => {
  if (positions.length === 0) return [];
  const asked = { chain: chain.name, positions, limit: SALE_ROWS_MAX };
  return read((reader, limits) => reader.transactionRows({ ...asked, ...limits }));
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
  { chain, asset: { family } }: Pick<FoundTrail, 'chain' | 'asset'>,
  positions: readonly TransactionPosition[],
  read: BudgetedRead,
): Promise<Evidence['prices']> => {
  const seconds = [...new Set(positions.map(({ blockTime }) => blockTime))];
  if (seconds.length === 0) return new Map();
  const moments = seconds.map((timeUnixSeconds) => ({ family, timeUnixSeconds }));
  const prices = await read((_, limits, { prices: reader }) =>
    reader.prices({ chain, moments, ...limits }),
  ).catch((error: unknown) => {
    if (error instanceof ReadFailedError && error.code !== 'aborted') return [];
    throw error;
  });
  return new Map(seconds.map((second, at) => [second, prices[at] ?? null]));
};

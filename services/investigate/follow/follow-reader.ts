import type { Clock } from '../../platform/clock.ts';
import type { AssetReader } from '../model/asset-reader.ts';
import type { Backfills } from '../model/backfills.ts';
import { type HoldingReader, NO_HOLDINGS } from '../model/holding-reader.ts';
import type { PriceReader } from '../model/price-reader.ts';
import { ReadFailedError, type ReadLimits, type TransferReader } from '../model/transfer-reader.ts';
import { withinTime } from '../model/within-time.ts';
import { READ_TIMEOUT_MS } from './rules.ts';

export type FollowDependencies = {
  readonly reader: TransferReader;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
  /** Where rows do not tell what a wallet holds; unless given, nobody does. */
  readonly holdings?: HoldingReader;
  /** As known before anything is read: a wallet whose rows come meanwhile is unknown to this trail. */
  readonly backfills: Backfills;
  readonly clock: Clock;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

/** The time for the whole trail is used up. */
export class BudgetSpentError extends Error {
  constructor() {
    super('the time budget of the trail is used up');
    this.name = 'BudgetSpentError';
  }
}

/** Something could not be read for which somebody still waits. */
export const isUnread = (error: unknown): boolean =>
  error instanceof ReadFailedError && error.code !== 'aborted';

/** Where it is an addition: what stands in its place when it could not be read. */
export const unlessUnread = <T, U>(reading: Promise<T>, instead: U): Promise<T | U> =>
  reading.catch((error: unknown) => {
    if (isUnread(error)) return instead;
    throw error;
  });

/** The same, or there is no time left to read it. */
export const isLeftOut = (error: unknown): boolean => isUnread(error) || error instanceof BudgetSpentError;

export const unlessLeftOut = <T, U>(reading: Promise<T>, instead: U): Promise<T | U> =>
  reading.catch((error: unknown) => {
    if (isLeftOut(error)) return instead;
    throw error;
  });

/** For who has nothing to answer yet: time that is used up is a failure then. */
export const refuseWithoutAnswer = (error: unknown): never => {
  throw error instanceof BudgetSpentError ? new ReadFailedError('timeout', { cause: error }) : error;
};

type OtherReaders = Pick<FollowDependencies, 'prices' | 'assets'> & { readonly holdings: HoldingReader };

/**
 * Makes one read within what is left of the time budget, but for what is kept for later. Throws `BudgetSpentError` or
 * `ReadFailedError`.
 */
export type BudgetedRead = <T>(
  read: (reader: TransferReader, limits: ReadLimits, others: OtherReaders) => Promise<T>,
  keepMs?: number,
) => Promise<T>;

/** The same, of the tables only. */
export type TablesRead = <T>(read: (reader: TransferReader, limits: ReadLimits) => Promise<T>) => Promise<T>;

export const createBudgetedRead = (
  { reader, prices, assets, holdings = NO_HOLDINGS, clock, signal }: FollowDependencies,
  endUnixMs: number,
  keptMs = 0,
): BudgetedRead => {
  return async (read, keepMs = keptMs) => {
    const leftMs = endUnixMs - keepMs - clock.nowUnixMs();
    if (leftMs <= 0) throw new BudgetSpentError();
    if (signal.aborted) throw new ReadFailedError('aborted');
    const timeoutMs = Math.min(leftMs, READ_TIMEOUT_MS);
    const isLast = leftMs <= READ_TIMEOUT_MS;
    const late = isLast ? new BudgetSpentError() : new ReadFailedError('timeout');
    try {
      return await withinTime({ timeoutMs, signal, late }, (bounded) =>
        read(reader, { signal: bounded, timeoutMs }, { prices, assets, holdings }),
      );
    } catch (error) {
      throw isLast && error instanceof ReadFailedError && error.code === 'timeout' ? late : error;
    }
  };
};

/** The same budget, of which so much is kept. */
export const keeping =
  (read: BudgetedRead, keepMs: number): BudgetedRead =>
  (ask) =>
    read(ask, keepMs);

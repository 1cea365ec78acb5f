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
  /** Tells a wallet's balance if the rows do not. Without it such balances stay unknown. */
  readonly holdings?: HoldingReader;
  /** As of before the first read: rows that arrive meanwhile do not make a wallet known to this trail. */
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

/** A read failed, and the caller still waits for the answer. */
export const isUnread = (error: unknown): boolean =>
  error instanceof ReadFailedError && error.code !== 'aborted';

const isSpent = (error: unknown): boolean => error instanceof BudgetSpentError;

/** The read failed, or there was no time left for it. */
export const isLeftOut = (error: unknown): boolean => isUnread(error) || isSpent(error);

/** For a read that the answer can do without: returns `instead` if it fails this way. */
const unless =
  (isExpected: (error: unknown) => boolean) =>
  <T, U>(reading: Promise<T>, instead: U): Promise<T | U> =>
    reading.catch((error: unknown) => {
      if (isExpected(error)) return instead;
      throw error;
    });

export const unlessUnread = unless(isUnread);
export const unlessSpent = unless(isSpent);
export const unlessLeftOut = unless(isLeftOut);

/** Before anything is found, a spent time budget is a failure. */
export const refuseWithoutAnswer = (error: unknown): never => {
  throw error instanceof BudgetSpentError ? new ReadFailedError('timeout', { cause: error }) : error;
};

type OtherReaders = Pick<FollowDependencies, 'prices' | 'assets'> & { readonly holdings: HoldingReader };

/** Makes one read within the rest of the time budget, less `keepMs`. Throws `BudgetSpentError` or `ReadFailedError`. */
export type BudgetedRead = <T>(
  read: (reader: TransferReader, limits: ReadLimits, others: OtherReaders) => Promise<T>,
  keepMs?: number,
) => Promise<T>;

/** The same, only from the tables. */
export type TablesRead = <T>(read: (reader: TransferReader, limits: ReadLimits) => Promise<T>) => Promise<T>;

export const createBudgetedRead =
  (
    { reader, prices, assets, holdings = NO_HOLDINGS, clock, signal }: FollowDependencies,
    endUnixMs: number,
    keptMs: number,
  ): BudgetedRead =>
  async (read, keepMs = keptMs) => {
    const leftMs = endUnixMs - keepMs - clock.nowUnixMs();
    if (leftMs <= 0) throw new BudgetSpentError();
    if (signal.aborted) throw new ReadFailedError('aborted');
    const timeoutMs = Math.min(leftMs, READ_TIMEOUT_MS);
    const isLast = leftMs <= READ_TIMEOUT_MS;
    const late = () => (isLast ? new BudgetSpentError() : new ReadFailedError('timeout'));
    try {
      return await withinTime({ timeoutMs, signal, late }, (bounded) =>
        read(reader, { signal: bounded, timeoutMs }, { prices, assets, holdings }),
      );
    } catch (error) {
      throw isLast && error instanceof ReadFailedError && error.code === 'timeout' ? late() : error;
    }
  };

/** The same budget less a reserve. */
export const keeping =
  (read: BudgetedRead, keepMs: number): BudgetedRead =>
  (ask) =>
    read(ask, keepMs);

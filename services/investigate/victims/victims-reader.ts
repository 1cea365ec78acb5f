import type { Clock } from '../../platform/clock.ts';
import type { AssetReader } from '../model/asset-reader.ts';
import type { CaseReader } from '../model/case-reader.ts';
import type { FunderReader } from '../model/funder-reader.ts';
import type { PriceReader } from '../model/price-reader.ts';
import { ReadFailedError, type ReadLimits, type TransferReader } from '../model/transfer-reader.ts';
import { READ_TIMEOUT_MS, TELLING_RESERVE_MS, TIME_BUDGET_MS } from './rules.ts';

export type VictimsDependencies = {
  readonly cases: CaseReader;
  readonly funders: FunderReader;
  readonly reader: Pick<TransferReader, 'labels' | 'isKnown' | 'unbrokenSpan'>;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
  readonly clock: Clock;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

/** Hands out what is left of the time. */
export type Budget = {
  /** For the next question. Throws `ReadFailedError` `timeout` when nothing is left. */
  readonly limits: () => ReadLimits;
  /** Whether more may be looked for: what is found must still be named and priced. */
  readonly canLook: () => boolean;
};

export const createBudget = (
  { clock, signal }: Pick<VictimsDependencies, 'clock' | 'signal'>,
  budgetMs = TIME_BUDGET_MS,
): Budget => {
  const end = clock.nowUnixMs() + budgetMs;
  const left = (): number => end - clock.nowUnixMs();
  return {
    limits: () => {
      if (left() <= 0) throw new ReadFailedError('timeout');
      return { signal, timeoutMs: Math.min(READ_TIMEOUT_MS, left()) };
    },
    canLook: () => left() > Math.min(TELLING_RESERVE_MS, budgetMs / 2),
  };
};

import { transactionKey } from '../../model/transfer-reader.ts';
import { behave, type FindBehaviour, type Observed } from './observed.ts';

const DAY = 86_400;
const FRESH_SECONDS = 7 * DAY;
/** A wallet that did more in one week than others do in a year is not new to the chain. */
const FRESH_TRANSACTIONS_MAX = 50;
const ASLEEP_SECONDS = 180 * DAY;

/** The transactions that the wallet itself sent, one row each, oldest first. */
const ownTransactions = ({ entries }: Observed) =>
  [
    ...new Map(
      entries.filter(({ isSender }) => isSender).map((entry) => [transactionKey(entry), entry]),
    ).values(),
  ].toReversed();

/**
 * The wallet's first transaction is less than a week older than the newest block. Without its whole history
 * the wallet may be older, unless it was silent for the week before.
 */
export const findFresh: FindBehaviour = ({ summary, headUnixSeconds, isComplete, entries, ...observed }) => {
  const [first] = entries.slice(-1);
  if (first === undefined || (!isComplete && observed.secondsReadBefore(first) < FRESH_SECONDS)) return null;
  const age = headUnixSeconds - summary.firstUnixSeconds;
  if (age > FRESH_SECONDS || summary.transactions > FRESH_TRANSACTIONS_MAX) return null;
  const days = Math.max(0, Math.floor(age / DAY));
  const detail = `It was first seen ${days} days before the newest block.`;
  return behave('fresh', { confidence: isComplete ? 0.95 : 0.5, severity: 'info', detail }, [first]);
};

/** The wallet sent nothing for half a year and then became active again. No block of that time may be missing. */
export const findSleeper: FindBehaviour = (observed) => {
  const own = ownTransactions(observed);
  const woke = own.findLast((entry, index) => {
    const before = own[index - 1];
    if (before === undefined || entry.blockTime - before.blockTime < ASLEEP_SECONDS) return false;
    return observed.isReadSince(before);
  });
  if (woke === undefined) return null;
  const detail = 'It sent nothing for more than half a year, and then became active again.';
  return behave('sleeper', { confidence: 0.9, severity: 'info', detail }, [woke]);
};

/** More transactions at a regular interval than a person is likely to sign. */
const OWN_MIN = 30;
/**
 * Standard deviation over mean of the intervals between transactions. Independent times give 1, a clock gives
 * 0.
 */
const SPREAD_MAX = 0.3;
const ROUND_TRIPS_MIN = 5;

/** The wallet sends at regular intervals, or buys and sells the same asset within one block. */
export const findBot: FindBehaviour = (observed) => {
  const own = ownTransactions(observed);
  const trips = roundTrips(observed);
  if (trips.length >= ROUND_TRIPS_MIN) {
    const detail = `It bought and sold the same asset within one block ${trips.length} times.`;
    return behave('bot', { confidence: 0.9, severity: 'info', detail }, trips);
  }
  const gaps = own.slice(1).map((entry, index) => entry.blockTime - (own[index]?.blockTime ?? 0));
  if (own.length < OWN_MIN || spreadOf(gaps) > SPREAD_MAX) return null;
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const detail = `It sent ${own.length} transactions at a regular interval, about every ${Math.round(mean)} seconds.`;
  return behave('bot', { confidence: 0.85, severity: 'info', detail }, own);
};

const spreadOf = (gaps: readonly number[]): number => {
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  if (mean === 0) return 0;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  return Math.sqrt(variance) / mean;
};

/** Blocks in which the wallet got an asset by a swap and sold it by another swap. */
const roundTrips = ({ trades }: Observed) =>
  [
    ...Map.groupBy(trades, ({ blockNumber, canonicalAsset }) => `${blockNumber} ${canonicalAsset}`).values(),
  ].flatMap((of) => {
    const [came, left] = ['in', 'out'].map((way) => of.filter(({ direction }) => direction === way));
    const isRound = came?.some((one) => left?.some((other) => other.txIndex !== one.txIndex));
    return isRound && of[0] ? [of[0]] : [];
  });

import { transactionKey } from '../../model/transfer-reader.ts';
import { behave, type FindBehaviour, type Observed } from './observed.ts';

const DAY = 86_400;
const FRESH_SECONDS = 7 * DAY;
/** Whoever did more within a week than others do in a year is no newcomer to the chain. */
const FRESH_TRANSACTIONS_MAX = 50;
const ASLEEP_SECONDS = 180 * DAY;

/** What the wallet itself sent, one row for each transaction, oldest first. */
const ownTransactions = ({ entries }: Observed) =>
  [
    ...new Map(
      entries.filter(({ isSender }) => isSender).map((entry) => [transactionKey(entry), entry]),
    ).values(),
  ].toReversed();

/** Its first transaction is less than a week older than the newest block. */
export const findFresh: FindBehaviour = ({ summary, headUnixSeconds, isComplete, entries }) => {
  const age = headUnixSeconds - summary.firstUnixSeconds;
  if (age > FRESH_SECONDS || summary.transactions > FRESH_TRANSACTIONS_MAX) return null;
  const days = Math.max(0, Math.floor(age / DAY));
  const detail = `It was first seen ${days} days before the newest block.`;
  // Where history is not whole, it may have been there before.
  return behave(
    'fresh',
    { confidence: isComplete ? 0.95 : 0.5, severity: 'info', detail },
    entries.slice(-1),
  );
};

/** It sent nothing for half a year, and then began again. */
export const findSleeper: FindBehaviour = (observed) => {
  const own = ownTransactions(observed);
  const woke = own.findLast((entry, index) => {
    const before = own[index - 1];
    return before !== undefined && entry.blockTime - before.blockTime >= ASLEEP_SECONDS;
  });
  if (woke === undefined) return null;
  const detail = 'It sent nothing for more than half a year, and then began again.';
  return behave('sleeper', { confidence: 0.9, severity: 'info', detail }, [woke]);
};

/** As many of its own transactions as a person hardly signs at one rhythm. */
const OWN_MIN = 30;
/** Of the intervals between its transactions: spread over mean. Independent moments give 1, a clock gives 0. */
const SPREAD_MAX = 0.3;
const ROUND_TRIPS_MIN = 5;

/** It sends at a clock's rhythm, or buys and sells again within one block. */
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
  const detail = `It sent ${own.length} transactions at one rhythm, about every ${Math.round(mean)} seconds.`;
  return behave('bot', { confidence: 0.85, severity: 'info', detail }, own);
};

const spreadOf = (gaps: readonly number[]): number => {
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  if (mean === 0) return 0;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  return Math.sqrt(variance) / mean;
};

/** Blocks in which the wallet got an asset by a swap and gave it away by another one. */
const roundTrips = ({ trades }: Observed) =>
  [
    ...Map.groupBy(trades, ({ blockNumber, canonicalAsset }) => `${blockNumber} ${canonicalAsset}`).values(),
  ].flatMap((of) => {
    const [came, left] = ['in', 'out'].map((way) => of.filter(({ direction }) => direction === way));
    const isRound = came?.some((one) => left?.some((other) => other.txIndex !== one.txIndex));
    return isRound && of[0] ? [of[0]] : [];
  });

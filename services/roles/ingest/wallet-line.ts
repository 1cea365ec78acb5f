import type { Wanted } from '../../api/asking/ask-in-time.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';

/** A history is promised within a minute. Unpaid calls may use half of that. */
const PROMISED_MS = { paid: 60_000, free: 30_000 };
/** Limits of one payer: histories in the line at once, and in a row. A flow that is paid for needs many at once. */
const WAITING_EACH = { paid: 8, free: 2 };
const EACH = { burst: 60, everyMs: 10_000 };
/** The assumed time per wallet before the first one, and how much the last one counts in the estimate. */
const FIRST_GUESS_MS = 10_000;
const NEWEST_WEIGHT = 0.3;
/** Its reader is gone. */
const FORGOTTEN_MS = 600_000;
const REMEMBERED_MAX = 10_000;
const STORED_WITHIN_MS = 60_000;

type Waiting = { readonly address: string; readonly sinceUnixMs: number; readonly payer: string | null };

/** Whether all of a history is wanted, in any order. */
const isWhole = ({ asset, side, first, last }: Wanted): boolean =>
  asset === null && side === 'both' && (first ?? 0) === 0 && last === null;

/** One for each part of a history that can be asked for. */
export const partKey = (wanted: Wanted): string => {
  const { address, asset, side, first, last, order, limit } = wanted;
  return isWhole(wanted) ? address : JSON.stringify([address, asset, side, first, last, order, limit]);
};

/**
 * The histories of one chain that were requested and not read yet, by any process. Its length is what can be read in
 * the promised time at the current rate.
 */
export const createWalletLine = (clock: Clock) => {
  const waiting = new Map<string, Waiting>();
  /** Recent whole histories: the news that one was read may arrive before the news that it was requested. */
  const readAt = new Map<string, number>();
  const asking = createRateLimit(EACH, clock);
  let eachMs = FIRST_GUESS_MS;
  let busySinceUnixMs = 0;

  const forget = (nowUnixMs: number): void => {
    for (const [key, { sinceUnixMs }] of waiting)
      if (nowUnixMs - sinceUnixMs >= FORGOTTEN_MS) waiting.delete(key);
  };

  const add = (wanted: Wanted, payer: string | null, sinceUnixMs: number): void => {
    const key = partKey(wanted);
    if (clock.nowUnixMs() - sinceUnixMs >= FORGOTTEN_MS || waiting.has(key)) return;
    if (waiting.size === 0) busySinceUnixMs = sinceUnixMs;
    waiting.set(key, { address: wanted.address, sinceUnixMs, payer });
  };

  /** A reading does not say which part it was: all parts of the address are worth another question. */
  const takeOut = (address: string, isPart: boolean): boolean => {
    if (!isPart) return waiting.delete(address);
    const parts = [...waiting].filter(([key, each]) => each.address === address && key !== address);
    for (const [key] of parts) waiting.delete(key);
    return parts.length > 0;
  };

  return {
    /** Also for one read a moment ago: the tables receive it last, and the reader skips it. */
    isWaiting: (wanted: Wanted): boolean => {
      const key = partKey(wanted);
      return waiting.has(key) || clock.nowUnixMs() - (readAt.get(key) ?? 0) * 1_000 < STORED_WITHIN_MS;
    },
    /** Estimate for the last one in the line. */
    secondsUntilRead: (): number => Math.ceil((waiting.size * eachMs) / 1_000),
    /** Adds the history if there is room for this payer; returns whether it is in the line. */
    enter: (wanted: Wanted, { payer, isPaid }: { payer: string; isPaid: boolean }): boolean => {
      const nowUnixMs = clock.nowUnixMs();
      forget(nowUnixMs);
      const untilReadMs = (waiting.size + 1) * eachMs;
      const kind = isPaid ? 'paid' : 'free';
      // A single wallet takes at most the reader's limit.
      if (waiting.size > 0 && untilReadMs > PROMISED_MS[kind]) return false;
      const own = [...waiting.values()].filter((each) => each.payer === payer).length;
      if (own >= WAITING_EACH[kind] || asking.take(payer) > 0) return false;
      add(wanted, payer, nowUnixMs);
      return true;
    },
    /** Some process has asked for it. */
    asked: (wanted: Wanted, atUnixSeconds: number): void => {
      if ((readAt.get(partKey(wanted)) ?? 0) < atUnixSeconds) add(wanted, null, atUnixSeconds * 1_000);
    },
    /** It could not be requested. */
    leave: (wanted: Wanted): void => void waiting.delete(partKey(wanted)),
    /** It was read. The time since the one before is the time per history. */
    done: ({ address, isPart }: { address: string; isPart: boolean }, atUnixSeconds: number): void => {
      if (!isPart) {
        readAt.delete(address);
        readAt.set(address, atUnixSeconds);
      }
      const [oldest] = readAt.keys();
      if (readAt.size > REMEMBERED_MAX && oldest !== undefined) readAt.delete(oldest);
      if (!takeOut(address, isPart)) return;
      const nowUnixMs = clock.nowUnixMs();
      eachMs += NEWEST_WEIGHT * (Math.max(0, nowUnixMs - busySinceUnixMs) - eachMs);
      busySinceUnixMs = nowUnixMs;
    },
  };
};

import type { Clock } from '../../platform/clock.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';

/** A history is promised within a minute. Unpaid calls may use half of that. */
const PROMISED_MS = { paid: 60_000, free: 30_000 };
/** Limits of one payer: wallets in the line at once, and in a row. */
const WAITING_EACH = 2;
const EACH = { burst: 60, everyMs: 10_000 };
/** The assumed time per wallet before the first one, and how much the last one counts in the estimate. */
const FIRST_GUESS_MS = 10_000;
const NEWEST_WEIGHT = 0.3;
/** Its reader is gone. */
const FORGOTTEN_MS = 600_000;
const REMEMBERED_MAX = 10_000;
const STORED_WITHIN_MS = 60_000;

type Waiting = { readonly sinceUnixMs: number; readonly payer: string | null };

/**
 * The wallets of one chain that were requested and not read yet, by any process. Its length is what can be read in
 * the promised time at the current rate.
 */
export const createWalletLine = (clock: Clock) => {
  const waiting = new Map<string, Waiting>();
  /** Recent wallets: the news that one was read may arrive before the news that it was requested. */
  const readAt = new Map<string, number>();
  const asking = createRateLimit(EACH, clock);
  let eachMs = FIRST_GUESS_MS;
  let busySinceUnixMs = 0;

  const forget = (nowUnixMs: number): void => {
    for (const [wallet, { sinceUnixMs }] of waiting)
      if (nowUnixMs - sinceUnixMs >= FORGOTTEN_MS) waiting.delete(wallet);
  };

  const add = (wallet: string, payer: string | null, sinceUnixMs: number): void => {
    if (clock.nowUnixMs() - sinceUnixMs >= FORGOTTEN_MS || waiting.has(wallet)) return;
    if (waiting.size === 0) busySinceUnixMs = sinceUnixMs;
    waiting.set(wallet, { sinceUnixMs, payer });
  };

  return {
    /** Also for one read a moment ago: the tables receive it last, and the reader skips it. */
    isWaiting: (wallet: string): boolean =>
      waiting.has(wallet) || clock.nowUnixMs() - (readAt.get(wallet) ?? 0) * 1_000 < STORED_WITHIN_MS,
    /** Adds the wallet if there is room for this payer; returns whether it is in the line. */
    enter: (wallet: string, { payer, isPaid }: { payer: string; isPaid: boolean }): boolean => {
      const nowUnixMs = clock.nowUnixMs();
      forget(nowUnixMs);
      const untilReadMs = (waiting.size + 1) * eachMs;
      // A single wallet takes at most the reader's limit.
      if (waiting.size > 0 && untilReadMs > PROMISED_MS[isPaid ? 'paid' : 'free']) return false;
      const own = [...waiting.values()].filter((each) => each.payer === payer).length;
      if (own >= WAITING_EACH || asking.take(payer) > 0) return false;
      add(wallet, payer, nowUnixMs);
      return true;
    },
    /** Some process has asked for it. */
    asked: (wallet: string, atUnixSeconds: number): void => {
      if ((readAt.get(wallet) ?? 0) < atUnixSeconds) add(wallet, null, atUnixSeconds * 1_000);
    },
    /** It could not be requested. */
    leave: (wallet: string): void => void waiting.delete(wallet),
    /** It was read. The time since the one before is the time per wallet. */
    done: (wallet: string, atUnixSeconds: number): void => {
      readAt.delete(wallet);
      readAt.set(wallet, atUnixSeconds);
      const [oldest] = readAt.keys();
      if (readAt.size > REMEMBERED_MAX && oldest !== undefined) readAt.delete(oldest);
      if (!waiting.delete(wallet)) return;
      const nowUnixMs = clock.nowUnixMs();
      eachMs += NEWEST_WEIGHT * (Math.max(0, nowUnixMs - busySinceUnixMs) - eachMs);
      busySinceUnixMs = nowUnixMs;
    },
  };
};

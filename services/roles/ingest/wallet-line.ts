import type { Clock } from '../../platform/clock.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';

/** An answer promises a history within a minute; calls that nobody pays for leave half of that to those that somebody does. */
const PROMISED_MS = { paid: 60_000, free: 30_000 };
/** Of one payer: wallets in the line at once, and wallets after each other. */
const WAITING_EACH = 2;
const EACH = { burst: 60, everyMs: 10_000 };
/** What a wallet takes as long as none was read, and how much the last one says of the next. */
const FIRST_GUESS_MS = 10_000;
const NEWEST_WEIGHT = 0.3;
/** Whoever was to read it is gone. */
const FORGOTTEN_MS = 600_000;
const REMEMBERED_MAX = 10_000;
const STORED_WITHIN_MS = 60_000;

type Waiting = { readonly sinceUnixMs: number; readonly payer: string | null };

/**
 * The wallets of one chain that were asked for and not read yet, by whichever process. It is as long as it can be emptied in the
 * time that is promised, by how fast it was emptied so far, and no longer.
 */
export const createWalletLine = (clock: Clock) => {
  const waiting = new Map<string, Waiting>();
  /** The newest of them: that one was read may be heard before that it was asked for. */
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
    /** Also where it was read a moment ago: the tables get it last, and whoever reads passes it over. */
    isWaiting: (wallet: string): boolean =>
      waiting.has(wallet) || clock.nowUnixMs() - (readAt.get(wallet) ?? 0) * 1_000 < STORED_WITHIN_MS,
    /** Whether there is room for one more of this payer; if so, it is in the line. */
    enter: (wallet: string, { payer, isPaid }: { payer: string; isPaid: boolean }): boolean => {
      const nowUnixMs = clock.nowUnixMs();
      forget(nowUnixMs);
      const untilReadMs = (waiting.size + 1) * eachMs;
      // One alone takes no longer than a reader gives it.
      if (waiting.size > 0 && untilReadMs > PROMISED_MS[isPaid ? 'paid' : 'free']) return false;
      const own = [...waiting.values()].filter((each) => each.payer === payer).length;
      if (own >= WAITING_EACH || asking.take(payer) > 0) return false;
      add(wallet, payer, nowUnixMs);
      return true;
    },
    /** A process has asked for it, another one or this. */
    asked: (wallet: string, atUnixSeconds: number): void => {
      if ((readAt.get(wallet) ?? 0) < atUnixSeconds) add(wallet, null, atUnixSeconds * 1_000);
    },
    /** It could not be asked for. */
    leave: (wallet: string): void => void waiting.delete(wallet),
    /** It was read; the time since the one before it is what one takes. */
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

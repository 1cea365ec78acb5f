import type { Charge, Refusal, VoidReason } from './events.ts';
import type { Cycle, Period } from './period.ts';
import { NO_PLAN, type PlanId } from './plans.ts';
import type { Purchase } from './tariffs.ts';

/** `account:<id>`, or `wallet:<network>:<address>`: who pays for each call by itself and has no credits. */
export type Payer = `account:${string}` | `wallet:${string}`;

/** At once, of an account or a paying wallet, over all API processes. */
export const OPEN_CALLS_MAX = 3;
/** A reservation holds a place and credits at most this long. */
export const DEADLINE_MS_MAX = 10 * 60_000;
/**
 * A call's end is remembered this long after its deadline, for commands that come again. Later ones are known by their
 * deadline, or as unknown, and change nothing either.
 */
export const REMEMBERED_MS = 60_000;
/**
 * So many calls of all payers together, open or ended and still remembered, are held at once, some 280 bytes each. While
 * there are as many nothing is reserved: each is held for three minutes, so that 5,500 a second never get there.
 */
export const CALLS_MAX = 1_000_000;
/**
 * So many refusals are remembered of a payer. Being refused costs nothing, so nothing else bounds them; of those that were
 * forgotten the latest deadline is enough to know them again.
 */
export const REFUSED_MAX = 100;

/**
 * So many calls of an account may come to nothing within this time, and as many more for each that it paid for: they take
 * nothing from its balance, so nothing else bounds what they leave in the log for ever.
 */
export const VOIDS_MAX = 100;
export const VOIDS_WINDOW_MS = 5 * 60_000;

export type OpenCall = {
  readonly tariff: Purchase;
  readonly charge: Charge;
  /** Which of the payer's periods pays, counted by `PayerState.periodNumber`. */
  readonly periodNumber: number;
  readonly deadlineUnixMs: number;
};

type EndedCall =
  | (OpenCall & { readonly status: 'posted'; readonly postedUnixMs: number })
  | { readonly status: 'voided'; readonly reason: VoidReason; readonly deadlineUnixMs: number };

type RefusedCall = {
  readonly reason: Refusal;
  readonly deadlineUnixMs: number;
  /**
   * Until then a reservation of it might be taken that comes again, were it forgotten. null where none is to be feared: a
   * post comes after its reservation, and a deadline too far ahead is refused by itself.
   */
  readonly reservableUntilUnixMs: number | null;
};

/** The books of one payer: nothing but what its events say. */
export type PayerState = {
  readonly isWallet: boolean;
  plan: PlanId;
  cycle: Cycle;
  /** Periods are counted from here. */
  anchorUnixMs: number;
  paidUntilUnixMs: number | null;
  /** null without a plan. */
  period: Period | null;
  analysesLeft: number;
  tracesLeft: number;
  packCredits: number;
  /** How many periods and plans there have been: two may begin in the same millisecond. */
  periodNumber: number;
  readonly open: Map<string, OpenCall>;
  /** Those that are still remembered, in the order of their ends. */
  readonly ended: Map<string, EndedCall>;
  /** The same of refusals, `REFUSED_MAX` at most. */
  readonly refused: Map<string, RefusedCall>;
  /** The latest `reservableUntilUnixMs` of those that had to be forgotten: a reservation up to it may be one of them. */
  refusedUpToUnixMs: number;
  /** Of the window that began then: how many calls came to nothing, and how many were paid for. */
  countedSinceUnixMs: number;
  voids: number;
  posts: number;
  /** Ids of the plan changes and credits: money that must never count twice, so they are kept for ever. */
  readonly applied: Set<string>;
  /** When each key was last used, by its id. */
  readonly keysUsed: Map<string, number>;
};

/** Until when nothing is reserved for an account because its calls come to nothing; null where it may call. */
export const heldBackUntilUnixMs = (state: PayerState, nowUnixMs: number): number | null => {
  const { isWallet, countedSinceUnixMs, voids, posts } = state;
  const untilUnixMs = countedSinceUnixMs + VOIDS_WINDOW_MS;
  // What a wallet does not pay for is counted by its payments.
  return !isWallet && voids >= VOIDS_MAX * (1 + posts) && untilUnixMs > nowUnixMs ? untilUnixMs : null;
};

export const initialState = (payer: Payer): PayerState => ({
  isWallet: payer.startsWith('wallet:'),
  plan: NO_PLAN,
  cycle: 'monthly',
  anchorUnixMs: 0,
  paidUntilUnixMs: null,
  period: null,
  analysesLeft: 0,
  tracesLeft: 0,
  packCredits: 0,
  periodNumber: 0,
  open: new Map(),
  ended: new Map(),
  refused: new Map(),
  refusedUpToUnixMs: 0,
  countedSinceUnixMs: 0,
  voids: 0,
  posts: 0,
  applied: new Set(),
  keysUsed: new Map(),
});

import type { Charge, Refusal, VoidReason } from './events.ts';
import type { Cycle, Period } from './period.ts';
import { NO_PLAN, type PlanId } from './plans.ts';
import type { Purchase } from './tariffs.ts';

/** `account:<id>`, or `wallet:<network>:<address>`, which pays for each call and has no credits. */
export type Payer = `account:${string}` | `wallet:${string}`;

/** Parallel calls of an account or a paying wallet, over all API processes. */
export const OPEN_CALLS_MAX = 3;
/** How long a reservation can hold a place and credits. */
export const DEADLINE_MS_MAX = 10 * 60_000;
/**
 * How long after its deadline a call's end is remembered, for repeated commands. Later commands are recognised by
 * their deadline, or are unknown, and change nothing.
 */
export const REMEMBERED_MS = 60_000;
/**
 * The maximum number of calls held, of all payers (some 280 bytes each). At the maximum nothing is reserved. Each
 * call is held for three minutes, so 5,500 a second never reach it.
 */
export const CALLS_MAX = 1_000_000;
/**
 * How many refusals are remembered for each payer. Refusals are free, so this bound is needed. For forgotten ones
 * the latest deadline is kept.
 */
export const REFUSED_MAX = 100;

/**
 * How many calls of an account may be void within this time; each paid call allows one more. Void calls cost
 * nothing but stay in the log, so this bound is needed.
 */
export const VOIDS_MAX = 100;
export const VOIDS_WINDOW_MS = 5 * 60_000;

export type OpenCall = {
  readonly tariff: Purchase;
  readonly charge: Charge;
  /** Which period pays, counted by `PayerState.periodNumber`. */
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
   * Until then a repeated reservation could be accepted again if this call were forgotten. null if that cannot
   * happen.
   */
  readonly reservableUntilUnixMs: number | null;
};

/** The books of one payer, derived only from its events. */
export type PayerState = {
  readonly isWallet: boolean;
  plan: PlanId;
  cycle: Cycle;
  /** The anchor from which periods are counted. */
  anchorUnixMs: number;
  paidUntilUnixMs: number | null;
  /** null without a plan. */
  period: Period | null;
  analysesLeft: number;
  tracesLeft: number;
  packCredits: number;
  /** The number of periods and plans so far: two may begin in the same millisecond. */
  periodNumber: number;
  readonly open: Map<string, OpenCall>;
  /** Remembered ended calls, in the order of their ends. */
  readonly ended: Map<string, EndedCall>;
  /** Remembered refusals, at most `REFUSED_MAX`. */
  readonly refused: Map<string, RefusedCall>;
  /** The latest deadline among forgotten refusals: a reservation up to it may be one of them. */
  refusedUpToUnixMs: number;
  /** Void and paid calls of the current window. */
  countedSinceUnixMs: number;
  voids: number;
  posts: number;
  /** Ids of plan changes and credits. They are kept for ever, because money must never count twice. */
  readonly applied: Set<string>;
  /** When each key was last used, by its id. */
  readonly keysUsed: Map<string, number>;
};

/** Until then nothing is reserved for the account because of void calls; null: it may call. */
export const heldBackUntilUnixMs = (state: PayerState, nowUnixMs: number): number | null => {
  const { isWallet, countedSinceUnixMs, voids, posts } = state;
  const untilUnixMs = countedSinceUnixMs + VOIDS_WINDOW_MS;
  // A wallet's unpaid calls are counted by its payments.
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

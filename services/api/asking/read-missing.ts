import { setTimeout as sleep } from 'node:timers/promises';
import type { Backfills } from '../../investigate/model/backfills.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { ApiError } from '../errors.ts';
import type { Promised, Wanted } from './ask-in-time.ts';

/** Kept for the last answer: the time of reading must not be all that a caller gets. */
const ANSWER_RESERVE_MS = 15_000;
const POLL_MS = 50;
/** How long those that were read wait for others that were asked for with them. */
const OTHERS_MS = 2_000;

/** A history that was asked for, and when it is expected. */
export type BeingRead = Wanted & Promised;

/** What happens while a caller waits. */
export type ReadingEvent =
  | { readonly kind: 'reading'; readonly wanted: BeingRead }
  | { readonly kind: 'read'; readonly wanted: Wanted };

export type Waiting<T> = {
  readonly chain: string;
  /** Answers from what is known now, within so much time: endless where nobody waits. `isAgain`: there is an answer already. */
  readonly answer: (leftMs: number, isAgain: boolean) => Promise<T>;
  /** Histories that the answer lacks and that can be read, the most important first. `known`: what was read before it. */
  readonly missing: (answer: T, known: Backfills) => readonly Wanted[];
  /** Has one read; null if nobody can, or not soon. */
  readonly ask: (wanted: Wanted, answer: T) => Promise<Promised | null>;
  readonly backfills: () => Backfills;
  /** 0: nobody waits. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: ReadingEvent) => void;
};

/**
 * Answers, has the histories read that the answer lacks, and answers again, until it lacks none, nobody can read them,
 * or the time is used up. `beingRead` are those that were asked for and have not come. What was read stays, so the same
 * question goes on from there.
 */
export const readMissing = async <T>(
  request: Waiting<T>,
): Promise<{ readonly answer: T; readonly beingRead: readonly BeingRead[] }> => {
  const { backfills, budgetMs, signal, onEvent = () => {} } = request;
  const untilMs = performance.now() + budgetMs;
  const left = (): number => untilMs - performance.now();
  const leftToAnswer = (): number => (budgetMs > 0 ? left() : Number.POSITIVE_INFINITY);
  const canWait = (): boolean => left() > ANSWER_RESERVE_MS && !signal.aborted;
  const told = new Set<string>();
  let known = backfills();
  let answer = await request.answer(leftToAnswer(), false);
  const done = new Set<string>();
  for (;;) {
    // A history that still does not suffice after it was read stays so.
    const wanted = request.missing(answer, known).filter((each) => !done.has(keyOf(each)));
    // What came during the answer is not in it, and nobody reads it again so soon.
    const before = canWait() ? known : backfills();
    const isRead = ({ address }: Wanted): boolean =>
      stampOf(request, backfills(), address) !== stampOf(request, before, address);
    const promised = await askForAll(request, { answer, wanted, isRead });
    for (const each of promised.filter((each) => !told.has(keyOf(each)))) {
      told.add(keyOf(each));
      onEvent({ kind: 'reading', wanted: each });
    }
    await untilRead(promised, isRead, canWait, signal);
    const read = promised.filter(isRead);
    if (read.length === 0) return { answer, beingRead: promised };
    for (const each of read) done.add(keyOf(each));
    for (const wanted of read) onEvent({ kind: 'read', wanted });
    known = backfills();
    try {
      answer = await request.answer(leftToAnswer(), true);
    } catch (error) {
      // What was answered before is better than nothing, also where others ask too much meanwhile.
      const isExpected = error instanceof ReadFailedError || isBusy(error);
      if (!isExpected || signal.aborted) throw error;
      return { answer, beingRead: promised };
    }
  }
};

const keyOf = ({ address, asset, side, first, last, order, limit }: Wanted): string =>
  JSON.stringify([address, asset, side, first, last, order, limit]);

/** It changes whenever a reading of an address ends; its windows come one by one before that. */
const stampOf = ({ chain }: Pick<Waiting<unknown>, 'chain'>, at: Backfills, address: string): string =>
  JSON.stringify([at.lastBackfill(chain, address), at.lastReading?.(chain, address)]);

/** A slow one does not hold up those that were read with it; it is waited for again in the next round. */
const untilRead = async (
  promised: readonly Wanted[],
  isRead: (wanted: Wanted) => boolean,
  canWait: () => boolean,
  signal: AbortSignal,
): Promise<void> => {
  let firstReadMs = Number.POSITIVE_INFINITY;
  while (canWait() && !promised.every(isRead) && performance.now() - firstReadMs < OTHERS_MS) {
    if (promised.some(isRead)) firstReadMs = Math.min(firstReadMs, performance.now());
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
};

type Asking<T> = {
  readonly answer: T;
  readonly wanted: readonly Wanted[];
  readonly isRead: (wanted: Wanted) => boolean;
};

/** Those that are read already or will be. All are asked for at once: each may wait for seconds where the log is not reached. */
const askForAll = async <T>(
  { ask }: Pick<Waiting<T>, 'ask'>,
  { answer, wanted, isRead }: Asking<T>,
): Promise<readonly BeingRead[]> => {
  const promises = await Promise.all(
    wanted.map(async (each) => (isRead(each) ? { withinSeconds: 0 } : await ask(each, answer))),
  );
  return wanted.flatMap((each, at) => {
    const promise = promises[at] ?? null;
    return promise === null ? [] : [{ ...each, ...promise }];
  });
};

const isBusy = (error: unknown): boolean => error instanceof ApiError && error.code === 'too_many_calls';

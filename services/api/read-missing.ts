import { setTimeout as sleep } from 'node:timers/promises';
import type { Backfills } from '../investigate/model/backfills.ts';
import { ReadFailedError } from '../investigate/model/transfer-reader.ts';
import { ApiError } from './errors.ts';

/** Kept for the last answer: the time of reading must not be all that a caller gets. */
const ANSWER_RESERVE_MS = 15_000;
const POLL_MS = 50;

type Waiting<T> = {
  readonly chain: string;
  /** Answers from what is known now, within so much time: endless where nobody waits. */
  readonly answer: (leftMs: number) => Promise<T>;
  /** Wallets that the answer lacks and that can be read, the most important first. `known`: what was read before it. */
  readonly missing: (answer: T, known: Backfills) => readonly string[];
  /** Has one read; false if nobody can, or not soon. */
  readonly ask: (wallet: string, answer: T) => Promise<boolean>;
  readonly backfills: () => Backfills;
  /** 0: nobody waits. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
};

/**
 * Answers, has the wallets read that the answer lacks, and answers again, until it lacks none, nobody can read them, or
 * the time is used up. `beingRead` are those that were asked for and have not come. What was read stays, so the same
 * question goes on from there.
 */
export const readMissing = async <T>(
  request: Waiting<T>,
): Promise<{ readonly answer: T; readonly beingRead: readonly string[] }> => {
  const { chain, backfills, budgetMs, signal } = request;
  const untilMs = performance.now() + budgetMs;
  const left = (): number => untilMs - performance.now();
  const leftToAnswer = (): number => (budgetMs > 0 ? left() : Number.POSITIVE_INFINITY);
  const canWait = (): boolean => left() > ANSWER_RESERVE_MS && !signal.aborted;
  let known = backfills();
  let answer = await request.answer(leftToAnswer());
  const asked = new Set<string>();
  for (;;) {
    // A wallet that is still unknown after it was read stays so.
    const wanted = request.missing(answer, known).filter((wallet) => !asked.has(wallet));
    const stampOf = (at: Backfills, wallet: string): string => JSON.stringify(at.lastBackfill(chain, wallet));
    // What came during the answer is not in it, and nobody reads it again so soon.
    const before = canWait() ? known : backfills();
    const isRead = (wallet: string): boolean => stampOf(backfills(), wallet) !== stampOf(before, wallet);
    const promised = await askForAll(request, { answer, wanted, isRead });
    while (!promised.every(isRead) && canWait())
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    const read = promised.filter(isRead);
    if (read.length === 0) return { answer, beingRead: promised };
    for (const wallet of read) asked.add(wallet);
    known = backfills();
    try {
      answer = await request.answer(leftToAnswer());
    } catch (error) {
      // What was answered before is better than nothing, also where others ask too much meanwhile.
      const isExpected = error instanceof ReadFailedError || isBusy(error);
      if (!isExpected || signal.aborted) throw error;
      return { answer, beingRead: promised };
    }
  }
};

type Wanted<T> = {
  readonly answer: T;
  readonly wanted: readonly string[];
  readonly isRead: (wallet: string) => boolean;
};

/** Those that are read already or will be. All are asked for at once: each may wait for seconds where the log is not reached. */
const askForAll = async <T>(
  { ask }: Pick<Waiting<T>, 'ask'>,
  { answer, wanted, isRead }: Wanted<T>,
): Promise<readonly string[]> => {
  const promises = await Promise.all(wanted.map((wallet) => isRead(wallet) || ask(wallet, answer)));
  return wanted.filter((_, at) => promises[at]);
};

const isBusy = (error: unknown): boolean => error instanceof ApiError && error.code === 'too_many_calls';

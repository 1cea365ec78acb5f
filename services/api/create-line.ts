import { ReadFailedError } from '../investigate/model/transfer-reader.ts';
import type { Caller } from './context.ts';
import { ApiError } from './errors.ts';

type LineLimits = {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  /** How many tasks one caller may have, including waiting ones. */
  readonly eachMax: number;
  /** How long a task may wait before it is refused. Default: as long as the caller does. */
  readonly waitMs?: number;
  /** Milliseconds; it need not be the time of day. */
  readonly nowMs?: () => number;
  /** The first sentence of a refusal. */
  readonly sentence: string;
};

type Task = {
  /** false: its caller has an answer already, whether it ends in time or not. */
  readonly rests?: boolean;
};

/**
 * Runs a few tasks at once. Further ones wait in turn, unless too many do or too long. Throws `ApiError` `too_many_calls`, and `ReadFailedError` if the
 * caller leaves. Whose task took longer than it may gets an error and pays nothing, so the next one of this caller is refused for as long
 * as that task ran.
 */
export const createLine = ({
  atOnceMax,
  waitingMax,
  eachMax,
  waitMs,
  nowMs = () => performance.now(),
  sentence,
}: LineLimits) => {
  let running = 0;
  const waiting = new Set<() => void>();
  const held = new Map<string, number>();
  const change = (caller: string | null, by: 1 | -1): void => {
    if (caller === null) return;
    const count = (held.get(caller) ?? 0) + by;
    if (count === 0) held.delete(caller);
    else held.set(caller, count);
  };
  const restsUntilMs = new Map<string, number>();
  const refuseResting = (caller: string): void => {
    const leftMs = (restsUntilMs.get(caller) ?? 0) - nowMs();
    if (leftMs > 0) throw tooHeavy(Math.ceil(leftMs / 1_000));
  };
  const rest = (caller: string, ranMs: number): void => {
    for (const [other, untilMs] of restsUntilMs) if (untilMs <= nowMs()) restsUntilMs.delete(other);
    restsUntilMs.set(caller, nowMs() + ranMs);
  };
  const begin = async (signal: AbortSignal): Promise<void> => {
    if (running < atOnceMax) {
      running += 1;
      return;
    }
    if (waiting.size >= waitingMax) throw busy(sentence);
    await new Promise<void>((resolve, reject) => {
      const leaveLine = (): void => {
        signal.removeEventListener('abort', leave);
        clearTimeout(timer);
        waiting.delete(start);
      };
      const start = (): void => {
        leaveLine();
        resolve();
      };
      const giveUp = (error: Error): void => {
        leaveLine();
        reject(error);
      };
      const leave = (): void => giveUp(new ReadFailedError('aborted'));
      const timer = waitMs === undefined ? undefined : setTimeout(() => giveUp(busy(sentence)), waitMs);
      signal.addEventListener('abort', leave, { once: true });
      waiting.add(start);
    });
  };
  const end = (): void => {
    const [start] = waiting;
    if (start) start();
    else running -= 1;
  };
  return async <T>(
    by: Caller,
    signal: AbortSignal,
    work: () => Promise<T>,
    { rests = true }: Task = {},
  ): Promise<T> => {
    const caller = nameOf(by);
    if (signal.aborted) throw new ReadFailedError('aborted');
    if (caller !== null && (held.get(caller) ?? 0) >= eachMax) throw busy(sentence);
    if (caller !== null) refuseResting(caller);
    change(caller, 1);
    try {
      await begin(signal);
      const beganMs = nowMs();
      try {
        return await work();
      } catch (error) {
        if (rests && caller !== null && isTooLate(error)) rest(caller, nowMs() - beganMs);
        throw error;
      } finally {
        end();
      }
    } finally {
      change(caller, -1);
    }
  };
};

/** null: this machine, which need not pay; whoever else has no name is not admitted. */
const nameOf = (caller: Caller): string | null => {
  if (caller.kind === 'account') return caller.accountId;
  if (caller.kind === 'payer') return caller.exchange.from;
  return caller.kind === 'anyone' ? caller.from : null;
};

const isTooLate = (error: unknown): boolean => error instanceof ReadFailedError && error.code === 'timeout';

const tooHeavy = (seconds: number): ApiError =>
  new ApiError('too_many_calls', {
    sentence:
      'Your last call took too long to be answered. Wait as long as Retry-After says, or ask for less.',
    headers: { 'Retry-After': String(seconds) },
  });

const busy = (sentence: string): ApiError =>
  new ApiError('too_many_calls', {
    sentence: `${sentence} Please try again.`,
    headers: { 'Retry-After': '1' },
  });

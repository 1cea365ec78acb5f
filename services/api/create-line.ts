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
  /** The first sentence of a refusal. */
  readonly sentence: string;
};

/**
 * Runs a few tasks at once. Further ones wait in turn, unless too many do or too long. Throws `ApiError` `too_many_calls`, and `ReadFailedError` if the
 * caller leaves.
 */
export const createLine = ({ atOnceMax, waitingMax, eachMax, waitMs, sentence }: LineLimits) => {
  let running = 0;
  const waiting = new Set<() => void>();
  const held = new Map<string, number>();
  const change = (caller: string | null, by: 1 | -1): void => {
    if (caller === null) return;
    const count = (held.get(caller) ?? 0) + by;
    if (count === 0) held.delete(caller);
    else held.set(caller, count);
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
  return async <T>(by: Caller, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const caller = nameOf(by);
    if (signal.aborted) throw new ReadFailedError('aborted');
    if (caller !== null && (held.get(caller) ?? 0) >= eachMax) throw busy(sentence);
    change(caller, 1);
    try {
      await begin(signal);
      try {
        return await work();
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

const busy = (sentence: string): ApiError =>
  new ApiError('too_many_calls', {
    sentence: `${sentence} Please try again.`,
    headers: { 'Retry-After': '1' },
  });

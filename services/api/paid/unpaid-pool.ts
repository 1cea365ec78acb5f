import { ApiError } from '../errors.ts';

type Limits = { readonly atOnce: number; readonly atOnceEach: number };

/**
 * Runs unpaid work beside paid work, with a limit in all and for each caller. Work above a limit is refused, not
 * queued. Throws what the work throws, and `ApiError` `too_many_calls`.
 */
export const createUnpaidPool = ({ atOnce, atOnceEach }: Limits) => {
  const running = new Map<string, number>();
  let total = 0;
  const change = (from: string, by: 1 | -1): void => {
    const count = (running.get(from) ?? 0) + by;
    total += by;
    if (count === 0) running.delete(from);
    else running.set(from, count);
  };
  return async <T>(from: string, work: () => Promise<T>): Promise<T> => {
    if (total >= atOnce || (running.get(from) ?? 0) >= atOnceEach) throw busy();
    change(from, 1);
    try {
      return await work();
    } finally {
      change(from, -1);
    }
  };
};

const busy = (): ApiError =>
  new ApiError('too_many_calls', {
    sentence: 'Too many unpaid calls are running. Please try again.',
    headers: { 'Retry-After': '2' },
  });

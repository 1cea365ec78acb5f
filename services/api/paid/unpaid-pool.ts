import { ApiError } from '../errors.ts';
import { createPlaces } from '../places.ts';

type Limits = { readonly atOnce: number; readonly atOnceEach: number };

/**
 * Runs unpaid work beside paid work, with a limit in all and for each caller. Work above a limit is refused, not
 * queued. Throws what the work throws, and `ApiError` `too_many_calls`.
 */
export const createUnpaidPool = ({ atOnce, atOnceEach }: Limits) => {
  const places = createPlaces({ all: atOnce, each: atOnceEach });
  return async <T>(from: string, work: () => Promise<T>): Promise<T> => {
    const leave = places.take(from);
    if (leave === null) throw busy();
    try {
      return await work();
    } finally {
      leave();
    }
  };
};

const busy = (): ApiError =>
  new ApiError('too_many_calls', {
    sentence: 'Too many unpaid calls are running. Please try again.',
    headers: { 'Retry-After': '2' },
  });

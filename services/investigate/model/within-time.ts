import { ReadFailedError } from './transfer-reader.ts';

/**
 * Work that reads, within so many milliseconds and for as long as somebody waits. Readers are asked to keep to the signal,
 * but not trusted to: when the time is over, what `late` makes is thrown whatever they do, a `ReadFailedError` unless given.
 */
export const withinTime = async <T>(
  {
    timeoutMs,
    signal,
    late = () => new ReadFailedError('timeout'),
  }: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly late?: () => Error },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const over = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = late();
    // Before the abort: what it makes readers throw comes second.
    reject(error);
    over.abort(error);
  }, timeoutMs);
  try {
    return await Promise.race([promise, work(AbortSignal.any([signal, over.signal]))]);
  } finally {
    clearTimeout(timer);
  }
};

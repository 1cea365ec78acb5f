import { ReadFailedError } from './transfer-reader.ts';

/**
 * Work that reads, within so many milliseconds and for as long as somebody waits. Readers are asked to keep to the signal,
 * but not trusted to: when the time is over, `ReadFailedError` is thrown whatever they do.
 */
export const withinTime = async <T>(
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const over = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    // Before the abort: what it makes readers throw comes second.
    reject(new ReadFailedError('timeout'));
    over.abort();
  }, timeoutMs);
  try {
    return await Promise.race([promise, work(AbortSignal.any([signal, over.signal]))]);
  } finally {
    clearTimeout(timer);
  }
};

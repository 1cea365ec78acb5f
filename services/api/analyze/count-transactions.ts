import type { AnalyzeRequest } from '../../investigate/analyze/profile.ts';
import { COUNTED_TRANSACTIONS_MAX } from '../../investigate/analyze/rules.ts';
import type { ProfileReader } from '../../investigate/model/profile-reader.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { ApiError } from '../errors.ts';

/** The price depends on the tables: they are asked before anybody pays, so only so often at once and with so little patience. */
const AT_ONCE_MAX = 4;
const WAITING_MAX = 100;
const TIMEOUT_MS = 3_000;

/**
 * Counts the subject's distinct transactions, up to what the price depends on. Calls above a few at once wait their turn; above a
 * hundred they are refused. Who is gone does not wait. Throws `ApiError` `too_many_calls`, and `ReadFailedError`.
 */
export const createCountTransactions = (reader: Pick<ProfileReader, 'transactionCount'>) => {
  let running = 0;
  const waiting = new Set<() => void>();
  const begin = async (signal: AbortSignal): Promise<void> => {
    if (signal.aborted) throw new ReadFailedError('aborted');
    if (running < AT_ONCE_MAX) {
      running += 1;
      return;
    }
    if (waiting.size >= WAITING_MAX) throw busy();
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        waiting.delete(start);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(start);
        reject(new ReadFailedError('aborted'));
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.add(start);
    });
  };
  const end = (): void => {
    const [start] = waiting;
    if (start) start();
    else running -= 1;
  };
  return async ({ chain, address }: AnalyzeRequest, signal: AbortSignal): Promise<number> => {
    await begin(signal);
    try {
      const limits = { signal, timeoutMs: TIMEOUT_MS, limit: COUNTED_TRANSACTIONS_MAX };
      return await reader.transactionCount({ chain: chain.name, wallet: address, ...limits });
    } finally {
      end();
    }
  };
};

const busy = (): ApiError =>
  new ApiError('too_many_calls', {
    sentence: 'Too many profiles are being priced. Please try again.',
    headers: { 'Retry-After': '1' },
  });

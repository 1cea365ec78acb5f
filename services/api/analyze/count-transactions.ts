import type { AnalyzeRequest } from '../../investigate/analyze/profile.ts';
import { COUNTED_TRANSACTIONS_MAX } from '../../investigate/analyze/rules.ts';
import type { ProfileReader } from '../../investigate/model/profile-reader.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import type { Caller } from '../context.ts';
import { ApiError } from '../errors.ts';

type Admitted = Exclude<Caller, { kind: 'unknown' }>;

/** The price depends on the tables, so they are asked before payment: few questions at once, with a short timeout. */
const AT_ONCE_MAX = { accounts: 4, strangers: 2 };
const WAITING_MAX = 100;
/** How many questions one caller may have, including waiting ones: as many as an account's parallel calls. */
const EACH_MAX = 3;
const TIMEOUT_MS = 3_000;

/** Runs a few tasks at once. Further ones wait, and are refused when too many wait. */
const createLine = (atOnceMax: number) => {
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
  return async <T>(caller: string | null, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    if (signal.aborted) throw new ReadFailedError('aborted');
    if (caller !== null && (held.get(caller) ?? 0) >= EACH_MAX) throw busy();
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

/**
 * Counts the subject's distinct transactions, up to the number that decides the price. A few counts run at once;
 * above a hundred waiting, or three of one caller, they are refused. Accounts go before strangers, and callers
 * that left are dropped. Throws `ApiError` `too_many_calls`, and `ReadFailedError`.
 */
export const createCountTransactions = (reader: Pick<ProfileReader, 'transactionCount'>) => {
  const accounts = createLine(AT_ONCE_MAX.accounts);
  const strangers = createLine(AT_ONCE_MAX.strangers);
  return ({ chain, address }: AnalyzeRequest, caller: Admitted, signal: AbortSignal): Promise<number> => {
    const line = caller.kind === 'account' ? accounts : strangers;
    const limits = { signal, timeoutMs: TIMEOUT_MS, limit: COUNTED_TRANSACTIONS_MAX };
    return line(nameOf(caller), signal, () =>
      reader.transactionCount({ chain: chain.name, wallet: address, ...limits }),
    );
  };
};

/** null: this machine, which need not pay. */
const nameOf = (caller: Admitted): string | null => {
  if (caller.kind === 'account') return caller.accountId;
  return caller.kind === 'payer' ? caller.exchange.from : caller.from;
};

const busy = (): ApiError =>
  new ApiError('too_many_calls', {
    sentence: 'Too many profiles are being priced. Please try again.',
    headers: { 'Retry-After': '1' },
  });

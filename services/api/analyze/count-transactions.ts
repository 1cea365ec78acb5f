import type { AnalyzeRequest } from '../../investigate/analyze/profile.ts';
import { COUNTED_TRANSACTIONS_MAX } from '../../investigate/analyze/rules.ts';
import type { ProfileReader } from '../../investigate/model/profile-reader.ts';
import type { Caller } from '../context.ts';
import { createLine } from '../create-line.ts';

/** The price depends on the tables, so they are asked before payment: few questions at once, with a short timeout. */
const AT_ONCE_MAX = { accounts: 4, strangers: 2 };
/** Each caller has as many as an account's parallel calls. */
const LIMITS = { waitingMax: 100, eachMax: 3, sentence: 'Too many profiles are being priced.' };
const TIMEOUT_MS = 3_000;

/**
 * Counts the subject's distinct transactions, up to the number that decides the price. A few counts run at once;
 * above a hundred waiting, or three of one caller, they are refused. Accounts go before strangers, and callers
 * that left are dropped. Throws `ApiError` `too_many_calls`, and `ReadFailedError`.
 */
export const createCountTransactions = (reader: Pick<ProfileReader, 'transactionCount'>) => {
  const accounts = createLine({ ...LIMITS, atOnceMax: AT_ONCE_MAX.accounts });
  const strangers = createLine({ ...LIMITS, atOnceMax: AT_ONCE_MAX.strangers });
  return ({ chain, address }: AnalyzeRequest, caller: Caller, signal: AbortSignal): Promise<number> => {
    const line = caller.kind === 'account' ? accounts : strangers;
    const limits = { signal, timeoutMs: TIMEOUT_MS, limit: COUNTED_TRANSACTIONS_MAX };
    return line(caller, signal, () =>
      reader.transactionCount({ chain: chain.name, wallet: address, ...limits }),
    );
  };
};

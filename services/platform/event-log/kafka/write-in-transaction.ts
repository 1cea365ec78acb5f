import type { PlacedAppend } from './batch-records.ts';
import { toLogError } from './kafka-error.ts';
import { isEnded, type Transactions } from './transactions.ts';
import type { WriteAppends } from './write-idempotent.ts';

/**
 * Writes appends in one transaction: all of them are readable when it resolves, or none ever. Its id is this
 * process' own.
 */
export const createTransactionalWriter = (transactions: Transactions): WriteAppends => {
  let isReady = false;

  const write = async (appends: readonly PlacedAppend[]): Promise<void> => {
    for (;;) {
      if (!isReady) await transactions.takeOver();
      isReady = true;
      try {
        return await transactions.write({ appends });
      } catch (error) {
        isReady = false;
        await transactions.abort();
        // It took too long, and nothing was kept. Try again.
        if (!isEnded(error)) throw error;
      }
    }
  };

  return async (appends) => {
    const refusal = await write(appends).then(
      () => null,
      (error: unknown) => toLogError(error),
    );
    return appends.map(() => refusal);
  };
};

import { WriterFencedError } from '../event-log.ts';
import type { PlacedAppend } from './batch-records.ts';
import { toLogError } from './kafka-error.ts';
import { isEnded, type Transactions } from './transactions.ts';
import type { WriteAppends } from './write-idempotent.ts';

type Options = {
  readonly transactions: Transactions;
  /** Named where another process can take the transactional id over; null where the id is this process' own. */
  readonly writer: string | null;
};

/** Appends in one transaction: all of them are readable when it resolves, or none ever. */
export const createTransactionalWriter = ({ transactions, writer }: Options): WriteAppends => {
  // A name is taken over when the log is opened, not when it first appends.
  let isReady = writer !== null;
  let fenced: WriterFencedError | null = null;

  const write = async (appends: readonly PlacedAppend[]): Promise<void> => {
    for (;;) {
      if (fenced) throw fenced;
      if (!isReady) await transactions.takeOver();
      isReady = true;
      try {
        return await transactions.write({ appends });
      } catch (error) {
        isReady = false;
        await transactions.abort();
        if (!isEnded(error)) throw error;
        // Nobody else has an id of our own: it took too long, and none of it was kept. Once more.
        if (writer !== null) fenced = new WriterFencedError(writer);
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

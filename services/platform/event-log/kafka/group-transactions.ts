import { type AppendRecord, type Commit, FencedError, type LogError, type Position } from '../event-log.ts';
import type { PlacedAppend } from './batch-records.ts';
import { toLogError } from './kafka-error.ts';
import { positionsOf } from './place-records.ts';
import { isEnded, type Transactions } from './transactions.ts';

/**
 * What a group's holder appends together with its commits. Its transactional id belongs to the group, and each holder
 * takes it over before it reads where to resume: whoever held the group before can finish nothing from then on.
 */
export const createGroupTransactions = (request: {
  readonly group: string;
  readonly groupId: string;
  readonly transactions: Transactions;
  readonly place: (records: readonly AppendRecord[]) => PlacedAppend;
}) => {
  const { group, groupId, transactions, place } = request;
  let failure: LogError | null = null;
  let before: Promise<unknown> = Promise.resolve();

  const write = async (append: PlacedAppend, offsets: readonly Commit[]): Promise<Position[]> => {
    if (failure) throw failure;
    try {
      await transactions.write({ appends: [append], commits: { groupId, offsets } });
      return positionsOf(append);
    } catch (error) {
      // What the brokers have of it is not known to the record, and the id may be another member's by now.
      failure = isEnded(error) ? new FencedError(group) : toLogError(error);
      if (!isEnded(error)) await transactions.abort();
      throw failure;
    }
  };

  return async (records: readonly AppendRecord[], commits: readonly Commit[]): Promise<Position[]> => {
    const append = place(records);
    const written = before.then(() => write(append, commits));
    before = written.catch(() => {});
    return written;
  };
};

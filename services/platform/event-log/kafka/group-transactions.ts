import { type AppendRecord, type Commit, FencedError, type Position } from '../event-log.ts';
import type { PlacedAppend } from './batch-records.ts';
import type { GroupMember } from './group-member.ts';
import { toLogError } from './kafka-error.ts';
import { positionsOf } from './place-records.ts';
import { isEnded, type Transactions } from './transactions.ts';

/**
 * Appends records together with a group's commits. The transactional id belongs to the group. Each new holder
 * takes the id over before it reads where to resume, so that the former holder can finish nothing from then
 * on.
 */
export const createGroupTransactions = (request: {
  readonly group: string;
  readonly groupId: string;
  readonly member: Pick<GroupMember, 'prove'>;
  readonly transactions: Transactions;
  readonly place: (records: readonly AppendRecord[]) => PlacedAppend;
}) => {
  const { group, groupId, member, transactions, place } = request;
  let fenced: FencedError | null = null;
  let isReady = true;
  let before: Promise<unknown> = Promise.resolve();

  /**
   * Checks the lease before, so that a member that slept does not take the id from a new holder, and again
   * after, because it may have slept in between.
   */
  const takeAgain = async (): Promise<void> => {
    await member.prove();
    await transactions.takeOver();
    await member.prove();
    isReady = true;
  };

  /** Resolves when the transaction must be written again. */
  const settle = async (error: unknown): Promise<void> => {
    const isOutOfTime = isReady && isEnded(error) && !transactions.mayBeKept();
    isReady = false;
    // Nothing was kept. Taking the id again shows whether another member has the group.
    if (isOutOfTime) return;
    if (isEnded(error)) fenced = new FencedError(group);
    else await transactions.abort();
    throw fenced ?? toLogError(error);
  };

  const write = async (append: PlacedAppend, offsets: readonly Commit[]): Promise<Position[]> => {
    for (;;) {
      if (fenced) throw fenced;
      try {
        if (!isReady) await takeAgain();
        await transactions.write({ appends: [append], commits: { groupId, offsets } });
        return positionsOf(append);
      } catch (error) {
        await settle(error);
      }
    }
  };

  return async (records: readonly AppendRecord[], commits: readonly Commit[]): Promise<Position[]> => {
    const append = place(records);
    const written = before.then(() => write(append, commits));
    before = written.catch(() => {});
    return written;
  };
};

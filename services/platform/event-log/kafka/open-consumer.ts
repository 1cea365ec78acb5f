import type { AppendRecord, ConsumeRequest, Consumer, LogError, PartitionRange } from '../event-log.ts';
import type { PlacedAppend } from './batch-records.ts';
import type { Connection } from './connection.ts';
import { createConsumer } from './consumer.ts';
import { joinGroup } from './group-member.ts';
import { createGroupTransactions } from './group-transactions.ts';
import { toLogError } from './kafka-error.ts';
import { fetchCommits } from './log-reader.ts';
import type { PartitionName, TopicCatalog } from './topic-catalog.ts';
import { createTransactions } from './transactions.ts';

type Options = {
  readonly catalog: TopicCatalog;
  /** The consumer's own connection; closed with it. */
  readonly connection: Connection;
  readonly groupId: string;
  readonly transactionalId: string;
  readonly transactionTimeoutMs: number;
  readonly leaseMs: number;
  readonly place: (records: readonly AppendRecord[]) => PlacedAppend;
  readonly rangeOf: (name: PartitionName) => Promise<PartitionRange>;
  /** Aborted when the log closes, because a group taken later would never be released. */
  readonly closing: AbortSignal;
  readonly onError: (error: LogError) => void;
  readonly onClose: () => void;
};

/**
 * Waits for the group, fences its former holder, and only then reads where to resume. Throws
 * `GroupHeldError`, the request's reason when aborted, and `LogClosedError`.
 */
export const openConsumer = async (request: ConsumeRequest, options: Options): Promise<Consumer> => {
  const { catalog, connection, groupId, closing, place } = options;
  const { group, topics } = request;
  const lost = new AbortController();
  const signal = request.signal ? AbortSignal.any([request.signal, closing]) : closing;
  try {
    const onLost = (): void => lost.abort();
    const member = await joinGroup({ ...request, signal }, { ...options, onLost });
    try {
      const transactions = createTransactions(options);
      await transactions.takeOver();
      const resumedFrom = await connection.run((session) =>
        fetchCommits(session, catalog, { groupId, topics }),
      );
      closing.throwIfAborted();
      const transact = createGroupTransactions({ group, groupId, member, transactions, place });
      return createConsumer({ ...options, group, topics, resumedFrom, member, lost: lost.signal, transact });
    } catch (error) {
      await member.leave();
      throw error;
    }
  } catch (error) {
    await connection.close();
    throw error === signal.reason ? error : toLogError(error);
  }
};

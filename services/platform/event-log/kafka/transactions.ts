import type { Commit } from '../event-log.ts';
import { batchRecords, type PlacedAppend } from './batch-records.ts';
import type { Connection } from './connection.ts';
import { groupByTopic } from './group-by-leader.ts';
import type { Broker } from './kafka-client.ts';
import { CODES, codeOf, hasCode } from './kafka-error.ts';
import { initProducer, type ProducerIdentity, produceBatches } from './produce-batches.ts';
import type { TopicCatalog } from './topic-catalog.ts';

export type Transaction = {
  readonly appends: readonly PlacedAppend[];
  /** Offsets that a group has read, committed together with the records. */
  readonly commits?: { readonly groupId: string; readonly offsets: readonly Commit[] };
};

/** Consecutive transactions under one transactional id. */
export type Transactions = {
  /** Takes the id over: the former holder is fenced, and its open transaction aborted. */
  takeOver(): Promise<void>;
  /**
   * Everything is readable at once when it resolves. After an error nothing ever is, and the id must be taken
   * over before the next one.
   */
  write(transaction: Transaction): Promise<void>;
  /** Whether the last failed `write` may have been kept by the brokers. */
  mayBeKept(): boolean;
  /**
   * Aborts what a failed `write` left open, if the brokers still allow it, because it would block readers.
   */
  abort(): Promise<void>;
};

/** The brokers ended the transaction and our right to the id: another member has it, or it took too long. */
export const isEnded = (error: unknown): boolean =>
  hasCode(
    error,
    CODES.invalidProducerEpoch,
    CODES.producerFenced,
    CODES.invalidTransactionState,
    CODES.invalidProducerIdMapping,
  );

type Options = {
  readonly connection: Connection;
  readonly catalog: TopicCatalog;
  readonly transactionalId: string;
  /** The brokers abort a transaction that stays open longer. Until then it blocks all readers behind it. */
  readonly transactionTimeoutMs: number;
};

/** Each step is repeated until it is answered, including the commit. The outcome is never guessed. */
export const createTransactions = (options: Options): Transactions => {
  const { connection, catalog, transactionalId } = options;
  let identity: ProducerIdentity | null = null;
  let isCommitAsked = false;

  const own = (): ProducerIdentity => {
    if (identity) return identity;
    throw new TypeError('the transactional id must be taken over first');
  };
  const who = () => {
    const { producerId, producerEpoch } = own();
    return { transactionalId, producerId, producerEpoch };
  };
  const ask = <T>(
    of: 'group' | 'transaction',
    id: string,
    action: (coordinator: Broker) => Promise<T>,
  ): Promise<T> => connection.run(async (session) => action(await session.coordinator(of, id)));
  const atCoordinator = <T>(action: (coordinator: Broker) => Promise<T>): Promise<T> =>
    ask('transaction', transactionalId, action);

  const addCommits = async ({ groupId, offsets }: NonNullable<Transaction['commits']>): Promise<void> => {
    await atCoordinator((coordinator) => coordinator.addOffsetsToTxn({ ...who(), groupId }));
    const topics = groupByTopic(catalog, offsets, ({ partition, offset, metadata }) => ({
      partition,
      offset: String(offset),
      metadata,
    }));
    await ask('group', groupId, (coordinator) => coordinator.txnOffsetCommit({ ...who(), groupId, topics }));
  };

  const addRecords = async (appends: readonly PlacedAppend[]): Promise<void> => {
    const rounds = batchRecords(appends);
    // The first round contains every partition.
    const topics = groupByTopic(catalog, rounds[0] ?? [], ({ partition }) => partition);
    if (topics.length === 0) return;
    await atCoordinator((coordinator) => coordinator.addPartitionsToTxn({ ...who(), topics }));
    for (const batches of rounds) {
      await produceBatches(batches, { connection, catalog, identity: own(), transactionalId });
    }
  };

  const end = (transactionResult: boolean): Promise<unknown> =>
    atCoordinator((coordinator) => coordinator.endTxn({ ...who(), transactionResult }));

  return {
    takeOver: async () => {
      identity = await connection.run((session) => initProducer(session, options));
    },
    write: async ({ appends, commits }) => {
      isCommitAsked = false;
      await addRecords(appends);
      if (commits && commits.offsets.length > 0) await addCommits(commits);
      isCommitAsked = true;
      await end(true);
      // Committed, but not readable yet. A second request makes us wait until the brokers have written the
      // markers.
      await end(true).catch((error: unknown) => {
        if (codeOf(error) === null) throw error;
      });
    },
    mayBeKept: () => isCommitAsked,
    abort: async () => {
      await end(false).catch(() => {});
      identity = null;
    },
  };
};

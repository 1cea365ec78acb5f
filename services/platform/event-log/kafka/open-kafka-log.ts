import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../clock.ts';
import {
  type AppendRecord,
  type ConsumeRequest,
  type Consumer,
  type EventLog,
  GroupHeldError,
  LogClosedError,
  LogError,
} from '../event-log.ts';
import type { Topic } from '../topics.ts';
import { createAppendQueue } from './append-queue.ts';
import { MESSAGE_BYTES_MAX, type PlacedAppend } from './batch-records.ts';
import type { Compression } from './compression.ts';
import { type Connection, createConnection } from './connection.ts';
import type { BrokerAddress } from './kafka-client.ts';
import { CODES, hasCode, toLogError } from './kafka-error.ts';
import { createLogReader } from './log-reader.ts';
import { openConsumer } from './open-consumer.ts';
import { placeRecords } from './place-records.ts';
import { checkTopics, createTopicCatalog } from './topic-catalog.ts';
import { createTransactions } from './transactions.ts';
import { createIdempotentWriter } from './write-idempotent.ts';
import { createTransactionalWriter } from './write-in-transaction.ts';

const LEASE_MS = 10_000;
/**
 * Only this process uses the id, so no other ends its open transaction. Readers wait until the brokers do.
 */
const OWN_TRANSACTION_TIMEOUT_MS = 10_000;
/** The next holder of a group ends an open transaction at once, so slow brokers may have more time. */
const SHARED_TRANSACTION_TIMEOUT_MS = 60_000;
/** Space for Kafka's overhead around the largest record. */
const BATCH_OVERHEAD_BYTES = 1_024;

export type KafkaLogOptions = BrokerAddress & {
  /** Must exist on the brokers already: see `applyTopics`. */
  readonly topics: readonly Topic[];
  /** Prefix of topic and group names on the brokers, so that several logs can share them. */
  readonly prefix?: string;
  readonly maxQueuedBytes: number;
  /** Key, value, headers and 24 bytes; less than 4 MiB. */
  readonly maxRecordBytes: number;
  /** A group's holder without a sign of life for this long loses it to a waiting member. Default: 10 s. */
  readonly leaseMs?: number;
  /** For writing. Default: zstd. */
  readonly compression?: Compression;
  readonly clock?: Clock;
  /** Called with every failure that is retried: unavailable brokers, heartbeats. */
  readonly onError?: (error: LogError) => void;
};

export type KafkaLog = EventLog & { stats(): { queuedBytes: number } };

const ignore = (): void => {};

/**
 * Opens the event log on Kafka, and waits while no broker answers. Offsets have gaps where transactions end.
 * Throws `PartitionsChangedError`, and `LogError` `topic_missing`, `kafka_login_refused`, `kafka_tls_refused`
 * or `kafka_refused`.
 */
export const openKafkaLog = async (options: KafkaLogOptions): Promise<KafkaLog> => {
  const { topics, prefix = '', maxRecordBytes, compression = 'zstd', onError = ignore } = options;
  if (maxRecordBytes > MESSAGE_BYTES_MAX - BATCH_OVERHEAD_BYTES) {
    throw new LogError(
      'record_limit_too_large',
      `maxRecordBytes is above what a topic takes: ${maxRecordBytes}`,
    );
  }
  const catalog = createTopicCatalog(topics, prefix);
  const connect = (names: readonly string[] = catalog.brokerNames): Connection =>
    createConnection({ address: options, topics: names, compression, onError });
  const first = connect([]);
  try {
    await checkTopics(topics, catalog, first);
  } catch (error) {
    throw toLogError(error);
  } finally {
    await first.close();
  }
  return assemble(options, { catalog, connect });
};

type Parts = {
  readonly catalog: ReturnType<typeof createTopicCatalog>;
  readonly connect: () => Connection;
};

type Place = (records: readonly AppendRecord[]) => PlacedAppend;

const openQueue = (options: KafkaLogOptions, { catalog, connect }: Parts, place: Place) => {
  const connection = connect();
  const transactions = createTransactions({
    connection,
    catalog,
    transactionalId: `${options.prefix ?? ''}${randomUUID()}`,
    transactionTimeoutMs: OWN_TRANSACTION_TIMEOUT_MS,
  });
  const queue = createAppendQueue({
    ...options,
    place,
    writeBatches: createIdempotentWriter(connection, catalog),
    writeTransaction: createTransactionalWriter(transactions),
  });
  const close = async (): Promise<void> => {
    await queue.drain();
    await connection.close();
  };
  return { ...queue, close };
};

const assemble = (options: KafkaLogOptions, parts: Parts): KafkaLog => {
  const { prefix = '', maxRecordBytes, leaseMs = LEASE_MS, clock = systemClock, onError = ignore } = options;
  const { catalog, connect } = parts;
  const place: Place = (records) =>
    placeRecords(records, { catalog, maxRecordBytes, timeUnixMs: clock.nowUnixMs() });
  const queue = openQueue(options, parts, place);
  const shared = connect();
  const reader = createLogReader({
    catalog,
    connection: shared,
    topics: options.topics.map(({ name }) => name),
  });
  const consumers = new Set<Consumer>();
  const closing = new AbortController();
  let closed: Promise<void> | null = null;

  const mustBeOpen = (): void => {
    if (closed !== null) throw new LogClosedError();
  };
  const typed =
    <A extends unknown[], T>(action: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      mustBeOpen();
      try {
        return await action(...args);
      } catch (error) {
        throw toLogError(error);
      }
    };

  const consume = async (request: ConsumeRequest): Promise<Consumer> => {
    mustBeOpen();
    for (const topic of request.topics) catalog.partitionsOf(topic);
    const consumer = await openConsumer(request, {
      catalog,
      connection: connect(),
      groupId: prefix + request.group,
      transactionTimeoutMs: SHARED_TRANSACTION_TIMEOUT_MS,
      transactionalId: `${prefix}group-${request.group}`,
      leaseMs,
      place,
      rangeOf: reader.rangeOf,
      closing: closing.signal,
      onError,
      onClose: () => void consumers.delete(consumer),
    });
    consumers.add(consumer);
    return consumer;
  };

  const shut = async (): Promise<void> => {
    closing.abort(new LogClosedError());
    await queue.close();
    await Promise.all([...consumers].map((consumer) => consumer.close()));
    await shared.close();
  };

  return {
    append: queue.append,
    read: typed(reader.read),
    ranges: typed(reader.ranges),
    commits: typed((group: string) => reader.commits(prefix + group)),
    consume,
    forgetGroup: typed((group: string) => forgetGroup(shared, { group, groupId: prefix + group })),
    stats: () => ({ queuedBytes: queue.queuedBytes() }),
    close: () => {
      closed ??= shut();
      return closed;
    },
  };
};

const forgetGroup = async (
  connection: Connection,
  { group, groupId }: { readonly group: string; readonly groupId: string },
): Promise<void> =>
  connection.run(async (session) => {
    const coordinator = await session.coordinator('group', groupId);
    const { results } = await coordinator.deleteGroups([groupId]);
    const refusal = results[0]?.error;
    if (hasCode(refusal, CODES.nonEmptyGroup)) throw new GroupHeldError(group);
    if (refusal && !hasCode(refusal, CODES.groupIdNotFound)) throw refusal;
  });

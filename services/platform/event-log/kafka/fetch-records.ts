import type { StoredRecord } from '../event-log.ts';
import { withinBytes } from './compression.ts';
import type { Session } from './connection.ts';
import { groupByLeader, groupByTopic } from './group-by-leader.ts';
import type { FetchedMessage, FetchedPartition } from './kafka-client.ts';
import { recordBytes } from './record-bytes.ts';
import type { PartitionName, TopicCatalog } from './topic-catalog.ts';

/** Records of open or aborted transactions are never returned. */
export const READ_COMMITTED = 1;
/**
 * An answer is in memory three times: as received, decompressed, and as records. A single larger batch is
 * still fetched.
 */
export const FETCH_BYTES_MAX = 4 * 1024 * 1024;
/**
 * Compressed batches have a fifth to a half of their size. Bytes sent beyond the limit are fetched again
 * later.
 */
const SENT_SHARE = 1 / 4;

export type FetchFrom = PartitionName & { readonly offset: number };

/** The answer for one partition. */
export type Fetched = PartitionName & {
  readonly records: StoredRecord[];
  /** Where to continue: after the records, and after what no reader may see (markers and aborted records). */
  readonly next: number;
  /** Every transaction below it is decided: committed or aborted. */
  readonly lastStable: number;
  /** Begin of the first batch in the answer; it may be before the requested offset. */
  readonly firstBatch: number;
};

const NO_BYTES = Buffer.alloc(0);

const lastOf = (value: Buffer | unknown[] | undefined): string => {
  const last = Array.isArray(value) ? value.at(-1) : value;
  return Buffer.isBuffer(last) ? last.toString() : '';
};

const toRecord = ({ topic, partition }: PartitionName, message: FetchedMessage): StoredRecord => ({
  topic,
  partition,
  offset: Number(message.offset),
  key: message.key?.toString() ?? '',
  value: message.value === null ? NO_BYTES : Buffer.from(message.value),
  headers: Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, lastOf(value)])),
  timeUnixMs: Number(message.timestamp),
});

/**
 * Removes control records and records of aborted transactions. The broker lists each aborted transaction of
 * the answer by producer and first offset; it ends at the producer's next control record. (kafkajs does this,
 * too, but starts one transaction for each record, and so misses records when two begin before the same
 * record.)
 */
const visibleMessages = ({ messages, abortedTransactions }: FetchedPartition): FetchedMessage[] => {
  const waiting = abortedTransactions.toSorted((a, b) => Number(b.firstOffset) - Number(a.firstOffset));
  const aborted = new Set<string>();
  return messages.filter(({ offset, isControlRecord, batchContext: { producerId, inTransaction } }) => {
    while (Number(waiting.at(-1)?.firstOffset ?? Number.POSITIVE_INFINITY) <= Number(offset)) {
      aborted.add(waiting.pop()?.producerId ?? '');
    }
    if (isControlRecord) aborted.delete(producerId);
    return !isControlRecord && !(inTransaction && aborted.has(producerId));
  });
};

const toFetched = (from: FetchFrom, partition: FetchedPartition): Fetched => {
  const { topic, offset } = from;
  const [first] = partition.messages;
  const last = partition.messages.at(-1);
  return {
    topic,
    partition: from.partition,
    // A batch is always sent whole, even when the requested offset is inside it.
    records: visibleMessages(partition)
      .filter((message) => Number(message.offset) >= offset)
      .map((message) => toRecord(from, message)),
    next: last === undefined ? offset : Math.max(offset, Number(last.offset) + 1),
    lastStable: Number(partition.lastStableOffset),
    firstBatch: first === undefined ? offset : Number(first.batchContext.firstOffset),
  };
};

/**
 * One request to the leader of these partitions. Waits up to `maxWaitMs` for the first byte. Returns about
 * `maxBytes`, and at least one batch of records if there is one. Throws kafkajs' errors.
 */
export const fetchRecords = async (
  session: Session,
  catalog: TopicCatalog,
  request: { readonly from: readonly FetchFrom[]; readonly maxBytes: number; readonly maxWaitMs: number },
): Promise<Fetched[]> => {
  const { from } = request;
  const maxBytes = Math.min(request.maxBytes, FETCH_BYTES_MAX);
  const sentBytes = session.compression === 'none' ? maxBytes : Math.ceil(maxBytes * SENT_SHARE);
  const answers = [...(await groupByLeader(session, catalog, from))].map(async ([leader, own]) => {
    const fetch = () =>
      leader.fetch({
        replicaId: -1,
        isolationLevel: READ_COMMITTED,
        maxWaitTime: request.maxWaitMs,
        minBytes: 1,
        maxBytes: sentBytes,
        topics: groupByTopic(catalog, own, ({ partition, offset }) => ({
          partition,
          fetchOffset: String(offset),
          maxBytes: sentBytes,
        })),
      });
    return withinBytes(maxBytes, fetch, ({ responses }) =>
      responses.flatMap(({ topicName, partitions }) =>
        partitions.flatMap((answer) => {
          const asked = own.find(
            (f) => f.partition === answer.partition && catalog.toBroker(f.topic) === topicName,
          );
          return asked ? [toFetched(asked, answer)] : [];
        }),
      ),
    );
  });
  return (await Promise.all(answers)).flat();
};

/** The first records that together reach `maxBytes`; at least one if there is one. */
export const takeBytes = (records: readonly StoredRecord[], maxBytes: number): StoredRecord[] => {
  let bytes = 0;
  const end = records.findIndex((record) => {
    bytes += recordBytes(record);
    return bytes >= maxBytes;
  });
  return end === -1 ? [...records] : records.slice(0, end + 1);
};

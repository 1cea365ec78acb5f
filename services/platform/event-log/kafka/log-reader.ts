import type { Commit, PartitionRange, ReadRequest, StoredRecord } from '../event-log.ts';
import type { Connection, Session } from './connection.ts';
import { FETCH_BYTES_MAX, type Fetched, fetchRecords, READ_COMMITTED, takeBytes } from './fetch-records.ts';
import { groupByLeader, groupByTopic } from './group-by-leader.ts';
import { CODES, hasCode } from './kafka-error.ts';
import { recordBytes } from './record-bytes.ts';
import type { PartitionName, TopicCatalog } from './topic-catalog.ts';

/** Kafka's names for the two ends of a partition. */
const EARLIEST = -2;
const LATEST = -1;
/** The fixed cost of sending a batch, so that small reads do not need one request for each record. */
const FETCH_BYTES_MIN = 64 * 1024;

/** Reads without a group, over one connection that all readers share. */
export type LogReader = {
  read(request: ReadRequest): Promise<StoredRecord[]>;
  ranges(topic: string): Promise<PartitionRange[]>;
  rangeOf(name: PartitionName): Promise<PartitionRange>;
  commits(groupId: string): Promise<Commit[]>;
};

type Options = {
  readonly catalog: TopicCatalog;
  readonly connection: Connection;
  readonly topics: readonly string[];
};

export const createLogReader = ({ catalog, connection, topics }: Options): LogReader => {
  /**
   * The position after a partition's last record, if it was found. Fetched again only after the partition has
   * grown.
   */
  const knownEnds = new Map<string, { lastStable: number; end: number }>();

  const fetchOne = (from: PartitionName & { offset: number }, maxBytes: number): Promise<Fetched> =>
    connection.run(async (session) => {
      const [fetched] = await fetchRecords(session, catalog, { from: [from], maxBytes, maxWaitMs: 0 });
      if (!fetched) throw new RangeError('the broker answered for another partition');
      return fetched;
    });

  const edgeOf = (names: readonly PartitionName[], timestamp: number): Promise<number[]> =>
    connection.run((session) => listOffsets(session, catalog, names, timestamp));

  /** From the beginning when retention has deleted the offset; null after the end. */
  const fetchWithin = async (
    name: PartitionName,
    offset: number,
    maxBytes: number,
  ): Promise<Fetched | null> => {
    try {
      return await fetchOne({ ...name, offset }, maxBytes);
    } catch (error) {
      if (!hasCode(error, CODES.offsetOutOfRange)) throw error;
      const [begin = 0] = await edgeOf([name], EARLIEST);
      return offset < begin ? fetchOne({ ...name, offset: begin }, maxBytes) : null;
    }
  };

  const read: LogReader['read'] = async ({
    topic,
    partition,
    offset,
    maxBytes,
    until = Number.MAX_SAFE_INTEGER,
  }) => {
    catalog.mustExist({ topic, partition });
    const records: StoredRecord[] = [];
    let left = maxBytes;
    for (let from = Math.max(0, offset); from < until && left > 0; ) {
      const bytes = Math.min(Math.max(left, FETCH_BYTES_MIN), FETCH_BYTES_MAX);
      const fetched = await fetchWithin({ topic, partition }, from, bytes);
      if (!fetched || fetched.next === from) break;
      const taken = takeBytes(
        fetched.records.filter((record) => record.offset < until),
        left,
      );
      records.push(...taken);
      left -= taken.reduce((sum, record) => sum + recordBytes(record), 0);
      from = fetched.next;
      if (from >= fetched.lastStable) break;
    }
    return records;
  };

  /** One past the last record. After it there are only markers and invisible records. */
  const endOf = async (name: PartitionName, begin: number, lastStable: number): Promise<number> => {
    const key = `${name.topic}/${name.partition}`;
    const known = knownEnds.get(key);
    if (known?.lastStable === lastStable) return Math.max(known.end, begin);
    let end = begin;
    for (let offset = lastStable - 1; offset >= begin; ) {
      const { records, firstBatch } = await fetchOne({ ...name, offset }, 1);
      const last = records.findLast((record) => record.offset < lastStable);
      if (last) {
        end = last.offset + 1;
        break;
      }
      offset = Math.min(firstBatch, offset) - 1;
    }
    knownEnds.set(key, { lastStable, end });
    return end;
  };

  const rangesOf = async (names: readonly PartitionName[]): Promise<PartitionRange[]> => {
    const [begins, lastStables] = await Promise.all([edgeOf(names, EARLIEST), edgeOf(names, LATEST)]);
    return Promise.all(
      names.map(async (name, i) => {
        const begin = begins[i] ?? 0;
        return { ...name, begin, end: await endOf(name, begin, lastStables[i] ?? begin) };
      }),
    );
  };

  return {
    read,
    ranges: async (topic) => rangesOf(catalog.partitionsOf(topic)),
    rangeOf: async (name) => {
      const [range] = await rangesOf([name]);
      return range ?? { ...name, begin: 0, end: 0 };
    },
    commits: (groupId) => connection.run((session) => fetchCommits(session, catalog, { groupId, topics })),
  };
};

/** The ends of these partitions, in their order. */
const listOffsets = async (
  session: Session,
  catalog: TopicCatalog,
  names: readonly PartitionName[],
  timestamp: number,
): Promise<number[]> => {
  const offsets = new Map<string, number>();
  for (const [leader, own] of await groupByLeader(session, catalog, names)) {
    const { responses } = await leader.listOffsets({
      replicaId: -1,
      isolationLevel: READ_COMMITTED,
      topics: groupByTopic(catalog, own, ({ partition }) => ({ partition, timestamp })),
    });
    for (const { topic, partitions } of responses) {
      for (const { partition, offset } of partitions) offsets.set(`${topic}/${partition}`, Number(offset));
    }
  }
  return names.map(({ topic, partition }) => offsets.get(`${catalog.toBroker(topic)}/${partition}`) ?? 0);
};

/** A group's commits on these topics, by topic and partition. */
export const fetchCommits = async (
  session: Session,
  catalog: TopicCatalog,
  { groupId, topics }: { readonly groupId: string; readonly topics: readonly string[] },
): Promise<Commit[]> => {
  const coordinator = await session.coordinator('group', groupId);
  const { responses } = await coordinator.offsetFetch({
    groupId,
    topics: topics.map((topic) => ({
      topic: catalog.toBroker(topic),
      partitions: catalog.partitionsOf(topic).map(({ partition }) => ({ partition })),
    })),
  });
  return responses
    .flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset, metadata }) => ({
        topic: catalog.fromBroker(topic),
        partition,
        offset: Number(offset),
        metadata: metadata ?? '',
      })),
    )
    .filter(({ offset }) => offset >= 0)
    .toSorted((a, b) => (a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1));
};

import type { DatabaseSync } from 'node:sqlite';
import { PartitionsChangedError, UnknownPartitionError, UnknownTopicError } from '../event-log.ts';
import { partitionForKey } from '../partition-for-key.ts';
import type { Topic } from '../topics.ts';
import { inTransaction } from './in-transaction.ts';

export type PartitionName = { readonly topic: string; readonly partition: number };

/** The declared topics with the file's number (`id`) of each partition. */
export type Catalog = {
  readonly topics: readonly Topic[];
  /** The ids of a topic's partitions, by partition. Throws `UnknownTopicError`. */
  idsOf(topic: string): readonly number[];
  /** Throws `UnknownTopicError`, `UnknownPartitionError`. */
  idOf(name: PartitionName): number;
  /** The partition of a record: the one it names, or the one its key selects. */
  place(record: { topic: string; key: string; partition?: number }): PartitionName & { partitionId: number };
};

/** Each partition is a table of its own, so that appends fill pages completely and a read is one range. */
export const recordsTable = (id: number): string => `records_${id}`;

const createPartition = (db: DatabaseSync, topic: string, partition: number): number => {
  const { lastInsertRowid } = db
    .prepare('INSERT INTO partitions (topic, partition, begin_offset, next_offset) VALUES (?, ?, 0, 0)')
    .run(topic, partition);
  const id = Number(lastInsertRowid);
  // The value comes last, so that time and key are read without walking through a large value.
  db.exec(`CREATE TABLE ${recordsTable(id)} (
    offset INTEGER PRIMARY KEY, time_unix_ms INTEGER NOT NULL, key TEXT NOT NULL, headers TEXT, value BLOB NOT NULL
  )`);
  return id;
};

const existingIds = (db: DatabaseSync, { name }: Topic): number[] =>
  db
    .prepare('SELECT id FROM partitions WHERE topic = ? ORDER BY partition')
    .all(name)
    .map((row) => Number(row.id));

const growTopic = (db: DatabaseSync, topic: Topic): void => {
  const existing = existingIds(db, topic).length;
  // As on Kafka, only a topic with retention may get more partitions, and none may get fewer.
  const mayGrow = existing === 0 || topic.retentionMs >= 0;
  if (existing > topic.partitions || (existing < topic.partitions && !mayGrow)) {
    throw new PartitionsChangedError(topic.name, topic.partitions, existing);
  }
  for (let partition = existing; partition < topic.partitions; partition++) {
    createPartition(db, topic.name, partition);
  }
};

/**
 * Adds new topics to the file and checks the existing ones. Throws `PartitionsChangedError` without changing
 * anything.
 */
export const registerTopics = (db: DatabaseSync, topics: readonly Topic[]): Catalog => {
  // Without anything to add, opening does not wait for a writer.
  if (topics.some((topic) => existingIds(db, topic).length !== topic.partitions)) {
    inTransaction(db, () => {
      for (const topic of topics) growTopic(db, topic);
    });
  }
  const ids = new Map(topics.map((topic) => [topic.name, existingIds(db, topic)]));
  const idsOf = (topic: string): readonly number[] => {
    const found = ids.get(topic);
    if (found === undefined) throw new UnknownTopicError(topic);
    return found;
  };
  const idOf = ({ topic, partition }: PartitionName): number => {
    const id = idsOf(topic)[partition];
    if (id === undefined) throw new UnknownPartitionError(topic, partition);
    return id;
  };
  const place: Catalog['place'] = ({ topic, key, partition: chosen }) => {
    const partition = chosen ?? partitionForKey(key, idsOf(topic).length);
    return { topic, partition, partitionId: idOf({ topic, partition }) };
  };
  return { topics, idsOf, idOf, place };
};

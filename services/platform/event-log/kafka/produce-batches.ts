import type { RecordBatch } from './batch-records.ts';
import { type Compression, compressionType } from './compression.ts';
import type { Connection, Session } from './connection.ts';
import { groupByLeader, groupByTopic } from './group-by-leader.ts';
import type { Broker, ProducedBatch } from './kafka-client.ts';
import type { TopicCatalog } from './topic-catalog.ts';

const PRODUCE_TIMEOUT_MS = 30_000;
const SEQUENCE_MASK = 0x7fff_ffff;
const ALL_IN_SYNC_REPLICAS = -1;

/**
 * The writer's identity at the broker. Each batch carries the sequence number of its first record, so that a
 * batch sent again after a lost answer is recognised and not written twice.
 */
export type ProducerIdentity = {
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly sequences: Map<string, number>;
};

type Options = {
  readonly connection: Connection;
  readonly catalog: TopicCatalog;
  readonly identity: ProducerIdentity;
  readonly transactionalId?: string;
};

const keyOf = ({ topic, partition }: RecordBatch): string => `${topic}/${partition}`;

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const encode = (batch: RecordBatch, firstSequence: number): ProducedBatch => ({
  partition: batch.partition,
  firstSequence,
  messages: batch.slots.flatMap(({ append, at }) => {
    const record = append.records[at];
    if (!record) return [];
    const { key, value, headers = {} } = record;
    return { key: Buffer.from(key), value: asBuffer(value), headers, timestamp: String(append.timeUnixMs) };
  }),
});

/**
 * Writes at most one batch for each partition, retries until all are acknowledged, and sets the offsets of
 * their records. Throws the broker's refusal. Batches written by then are marked and never sent again.
 */
export const produceBatches = async (batches: readonly RecordBatch[], options: Options): Promise<void> => {
  const { connection } = options;
  await connection.run(async (session) => {
    const rest = batches.filter(({ isWritten }) => !isWritten);
    const leaders = await groupByLeader(session, options.catalog, rest);
    const settled = await Promise.allSettled(
      [...leaders].map(([leader, own]) =>
        produceTo(leader, own, { ...options, compression: session.compression }),
      ),
    );
    for (const result of settled) if (result.status === 'rejected') throw result.reason;
  });
};

const produceTo = async (
  leader: Broker,
  batches: readonly RecordBatch[],
  options: Options & { readonly compression: Compression },
): Promise<void> => {
  const { catalog, identity, transactionalId, compression } = options;
  const { producerId, producerEpoch, sequences } = identity;
  const bytes = batches.reduce((sum, batch) => sum + batch.bytes, 0);
  const { topics } = await leader.produce({
    acks: ALL_IN_SYNC_REPLICAS,
    timeout: PRODUCE_TIMEOUT_MS,
    compression: compressionType(compression, bytes),
    producerId,
    producerEpoch,
    ...(transactionalId === undefined ? {} : { transactionalId }),
    topicData: groupByTopic(catalog, batches, (batch) => encode(batch, sequences.get(keyOf(batch)) ?? 0)),
  });
  for (const batch of batches) {
    const answer = topics
      .find(({ topicName }) => topicName === catalog.toBroker(batch.topic))
      ?.partitions.find(({ partition }) => partition === batch.partition);
    const first = Number(answer?.baseOffset ?? Number.NaN);
    for (const [i, { append, at }] of batch.slots.entries()) append.offsets[at] = first + i;
    batch.isWritten = true;
    sequences.set(keyOf(batch), ((sequences.get(keyOf(batch)) ?? 0) + batch.slots.length) & SEQUENCE_MASK);
  }
};

/**
 * Gets a new identity. With a transactional id this aborts the open transaction and fences the former holder
 * of that id.
 */
export const initProducer = async (
  session: Session,
  request: { readonly transactionalId?: string; readonly transactionTimeoutMs: number },
): Promise<ProducerIdentity> => {
  const { transactionalId, transactionTimeoutMs } = request;
  const broker =
    transactionalId === undefined
      ? await session.cluster.findControllerBroker()
      : await session.coordinator('transaction', transactionalId);
  const { producerId, producerEpoch } = await broker.initProducerId({
    transactionTimeout: transactionTimeoutMs,
    ...(transactionalId === undefined ? {} : { transactionalId }),
  });
  return { producerId, producerEpoch, sequences: new Map() };
};

import { createRequire } from 'node:module';
import kafkajs from 'kafkajs';
import type { KafkaSecurity } from '../../config/kafka-security.ts';
import { saslOptions } from './sasl-options.ts';

/** As host:port. Default: without TLS and without a user. */
export type BrokerAddress = { readonly brokers: readonly string[] } & Partial<KafkaSecurity>;

export type ProducedBatch = {
  readonly partition: number;
  readonly firstSequence: number;
  readonly messages: readonly {
    readonly key: Buffer;
    readonly value: Buffer;
    readonly headers: Readonly<Record<string, string>>;
    readonly timestamp: string;
  }[];
};

export type FetchedMessage = {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** Excludes duplicate names and names of properties that every object has. */
  readonly headers: Readonly<Record<string, Buffer | unknown[]>>;
  readonly isControlRecord: boolean;
  readonly batchContext: {
    readonly firstOffset: string;
    readonly producerId: string;
    readonly inTransaction: boolean;
  };
};

export type FetchedPartition = {
  readonly partition: number;
  readonly lastStableOffset: string;
  readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[];
  readonly messages: readonly FetchedMessage[];
};

type Topics<P> = readonly { readonly topic: string; readonly partitions: readonly P[] }[];
type CommittedOffset = { readonly partition: number; readonly offset: string; readonly metadata: string };
type Member = { readonly groupId: string; readonly memberId: string };
type Generation = Member & { readonly groupGenerationId: number };
type TransactionalProducer = {
  readonly transactionalId: string;
  readonly producerId: string;
  readonly producerEpoch: number;
};

/** One broker, with single requests of Kafka's protocol. All throw kafkajs' errors. */
export type Broker = {
  readonly nodeId: string;
  produce(request: {
    readonly topicData: Topics<ProducedBatch>;
    readonly transactionalId?: string;
    readonly producerId: string;
    readonly producerEpoch: number;
    readonly acks: -1;
    readonly timeout: number;
    readonly compression: number;
  }): Promise<{
    readonly topics: readonly {
      readonly topicName: string;
      readonly partitions: readonly { readonly partition: number; readonly baseOffset: string }[];
    }[];
  }>;
  fetch(request: {
    readonly replicaId: -1;
    readonly isolationLevel: number;
    readonly maxWaitTime: number;
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly topics: Topics<{ partition: number; fetchOffset: string; maxBytes: number }>;
  }): Promise<{
    readonly responses: readonly {
      readonly topicName: string;
      readonly partitions: readonly FetchedPartition[];
    }[];
  }>;
  listOffsets(request: {
    readonly replicaId: -1;
    readonly isolationLevel: number;
    readonly topics: Topics<{ partition: number; timestamp: number }>;
  }): Promise<{
    readonly responses: Topics<{ readonly partition: number; readonly offset: string }>;
  }>;
  initProducerId(request: {
    readonly transactionalId?: string;
    readonly transactionTimeout: number;
  }): Promise<{ readonly producerId: string; readonly producerEpoch: number }>;
  addPartitionsToTxn(request: TransactionalProducer & { readonly topics: Topics<number> }): Promise<unknown>;
  endTxn(request: TransactionalProducer & { readonly transactionResult: boolean }): Promise<unknown>;
  addOffsetsToTxn(request: TransactionalProducer & { readonly groupId: string }): Promise<unknown>;
  txnOffsetCommit(
    request: TransactionalProducer & { readonly groupId: string; readonly topics: Topics<CommittedOffset> },
  ): Promise<unknown>;
  describeGroups(request: { readonly groupIds: readonly string[] }): Promise<{
    readonly groups: readonly { readonly members: readonly { readonly memberId: string }[] }[];
  }>;
  deleteGroups(groupIds: readonly string[]): Promise<{
    readonly results: readonly { readonly error?: Error }[];
  }>;
  joinGroup(
    request: Member & {
      readonly sessionTimeout: number;
      readonly rebalanceTimeout: number;
      readonly groupProtocols: readonly { readonly name: string; readonly metadata: Buffer }[];
    },
  ): Promise<{ readonly generationId: number; readonly leaderId: string; readonly memberId: string }>;
  syncGroup(
    request: Member & {
      readonly generationId: number;
      readonly groupAssignment: readonly { readonly memberId: string; readonly memberAssignment: Buffer }[];
    },
  ): Promise<unknown>;
  heartbeat(request: Generation): Promise<unknown>;
  leaveGroup(request: Member): Promise<unknown>;
  offsetCommit(
    request: Generation & {
      readonly retentionTime: -1;
      readonly topics: Topics<CommittedOffset>;
    },
  ): Promise<unknown>;
  offsetFetch(request: {
    readonly groupId: string;
    readonly topics: Topics<{ partition: number }>;
  }): Promise<{
    readonly responses: Topics<{ partition: number; offset: string; metadata: string | null }>;
  }>;
};

export type Cluster = {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  /** All topics that the client may see. */
  metadata(): Promise<{
    readonly topicMetadata: readonly {
      readonly topic: string;
      readonly partitionMetadata: readonly unknown[];
    }[];
  } | null>;
  findBroker(request: { readonly nodeId: string }): Promise<Broker>;
  findControllerBroker(): Promise<Broker>;
  findLeaderForPartitions(topic: string, partitions: readonly number[]): Record<string, number[]>;
  findGroupCoordinator(request: {
    readonly groupId: string;
    readonly coordinatorType: 0 | 1;
  }): Promise<Broker>;
};

const CLIENT_ID = 'spoor';
const CONNECTION_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 30_000;
// Few retries, because the caller retries on fresh connections for as long as it takes.
const RETRY = { initialRetryTime: 50, factor: 0.2, multiplier: 2, maxRetryTime: 1_000, retries: 2 };

const createKafka = ({ brokers, tls = false, sasl }: BrokerAddress) =>
  new kafkajs.Kafka({
    clientId: CLIENT_ID,
    brokers: [...brokers],
    ssl: tls,
    ...(sasl ? { sasl: saslOptions(sasl) } : {}),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry: RETRY,
    // Every error reaches the caller, who reports it.
    logLevel: kafkajs.logLevel.NOTHING,
  });

/**
 * kafkajs' request queue sets its timer with a negative delay when nothing is throttled, and Node warns each
 * time. This patch skips the timer then.
 */
const calmRequestQueue = (): void => {
  type Queue = { pending: unknown[]; throttledUntil: number; scheduleCheckPendingRequests(): void };
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
    prototype: Queue;
  };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleWhenNeeded(this: Queue): void {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
  };
};
calmRequestQueue();

/** Topics are created and changed through kafkajs' public API. */
export const createAdmin = (address: BrokerAddress) => createKafka(address).admin();

/**
 * kafkajs' connections and protocol, without its producer and consumer. That producer cannot repeat a commit
 * whose answer was lost, and that consumer rejoins its group by itself after it was fenced.
 */
export const createCluster = (address: BrokerAddress): Cluster => {
  // kafkajs keeps it under a symbol that its types do not name.
  const kafka = createKafka(address) as unknown as Record<symbol, (options: object) => Cluster>;
  const factory = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  const create = factory && kafka[factory];
  if (!create) throw new TypeError('this version of kafkajs has no clusters of its own');
  return create({ allowAutoTopicCreation: false, metadataMaxAge: 300_000, maxInFlightRequests: 1 });
};

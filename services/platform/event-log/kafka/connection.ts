import { setTimeout as sleep } from 'node:timers/promises';
import { LogClosedError, type LogError } from '../event-log.ts';
import type { Compression } from './compression.ts';
import { type Broker, type BrokerAddress, type Cluster, createCluster } from './kafka-client.ts';
import { remedyFor, toLogError } from './kafka-error.ts';

const WAIT_MS = { first: 5, longest: 1_000 };

/** One connected client. Caches which broker leads a partition or coordinates a group or transaction. */
export type Session = {
  readonly cluster: Cluster;
  /** Of what is written. */
  readonly compression: Compression;
  leader(topic: string, partition: number): Promise<Broker>;
  coordinator(of: 'group' | 'transaction', id: string): Promise<Broker>;
};

/**
 * Separate sockets: Kafka answers the requests of one socket in order, so a long wait would hold up all later
 * ones.
 */
export type Connection = {
  /**
   * Runs the action with a connected session, and retries while brokers are unavailable or not ready, so the
   * action must be safe to repeat. Throws the broker's refusal as a kafkajs error, the signal's reason, or
   * `LogClosedError` after closing.
   */
  run<T>(action: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
};

type Options = {
  readonly address: BrokerAddress;
  /** With the brokers' names. */
  readonly topics: readonly string[];
  readonly compression: Compression;
  readonly onError: (error: LogError) => void;
};

const openSession = async ({ address, topics, compression }: Options): Promise<Session> => {
  const cluster = createCluster(address);
  try {
    await cluster.connect();
    await cluster.addMultipleTargetTopics(topics);
  } catch (error) {
    void cluster.disconnect().catch(() => {});
    throw error;
  }
  const coordinators = new Map<string, Promise<Broker>>();
  return {
    cluster,
    compression,
    leader: async (topic, partition) => {
      const [nodeId = '-1'] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
      return cluster.findBroker({ nodeId });
    },
    coordinator: (of, id) => {
      const known = coordinators.get(`${of} ${id}`);
      if (known) return known;
      const found = cluster.findGroupCoordinator({ groupId: id, coordinatorType: of === 'group' ? 0 : 1 });
      coordinators.set(`${of} ${id}`, found);
      found.catch(() => coordinators.delete(`${of} ${id}`));
      return found;
    },
  };
};

export const createConnection = (options: Options): Connection => {
  const { onError } = options;
  const closed = new AbortController();
  let current: Promise<Session> | null = null;

  /** A failed connection is not kept, so that the next caller tries again. */
  const connect = (): Promise<Session> => {
    const session = openSession(options);
    session.catch(() => {
      if (current === session) current = null;
    });
    return session;
  };

  const forget = (session: Promise<Session> | null): void => {
    if (current === session) current = null;
    // Waits for requests that are under way.
    void session?.then(({ cluster }) => cluster.disconnect()).catch(() => {});
  };

  const run: Connection['run'] = async (action, signal) => {
    const stop = signal ? AbortSignal.any([signal, closed.signal]) : closed.signal;
    for (let waitMs = WAIT_MS.first; ; waitMs = Math.min(waitMs * 2, WAIT_MS.longest)) {
      stop.throwIfAborted();
      current ??= connect();
      const session = current;
      try {
        return await action(await session);
      } catch (error) {
        const remedy = remedyFor(error);
        if (remedy === 'give_up') throw error;
        if (remedy === 'reconnect') {
          forget(session);
          onError(toLogError(error));
        }
      }
      await sleep(waitMs, undefined, { signal: stop }).catch(() => stop.throwIfAborted());
    }
  };

  return {
    run,
    close: async () => {
      closed.abort(new LogClosedError());
      const session = current;
      current = null;
      await session?.then(({ cluster }) => cluster.disconnect()).catch(() => {});
    },
  };
};

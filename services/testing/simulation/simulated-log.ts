import { createHash } from 'node:crypto';
import {
  type AppendRecord,
  type Batch,
  type Commit,
  type ConsumeRequest,
  type Consumer,
  type EventLog,
  FencedError,
  GroupHeldError,
  LogClosedError,
  LogError,
  type Position,
  type StoredRecord,
} from '../../platform/event-log/event-log.ts';
import type { Network } from './network.ts';
import type { VirtualTime } from './virtual-time.ts';

const PARTITIONS = 2;
const LEASE_MS = 8_000;
const TAKE_AGAIN_MS = 3_000;
/** Longer than asked for: who waits for nothing costs steps. What comes is seen at once all the same. */
const IDLE_MS = 6_000;

type Member = object;
type Group = { member: Member | null; untilMs: number; readonly commits: Map<string, Commit> };

const keyOf = ({ topic, partition }: Pick<Position, 'topic' | 'partition'>): string =>
  `${topic}/${partition}`;

/** What is durable of a log: it outlives every process. One request at a time is carried out, whole or not at all. */
export class Broker {
  readonly #time: VirtualTime;
  /** Whether a group's member that was pushed out is kept from writing. */
  readonly #fences: boolean;
  readonly #partitions = new Map<string, StoredRecord[]>();
  readonly #groups = new Map<string, Group>();
  readonly #listeners = new Map<() => void, readonly string[]>();

  constructor(time: VirtualTime, options: { fences: boolean }) {
    this.#time = time;
    this.#fences = options.fences;
  }

  append(records: readonly AppendRecord[]): Position[] {
    const positions = records.map((record): Position => {
      const partition =
        record.partition ?? [...record.key].reduce((sum, c) => sum + c.charCodeAt(0), 0) % PARTITIONS;
      const stored = this.records({ topic: record.topic, partition });
      const position = { topic: record.topic, partition, offset: stored.length };
      const value = Buffer.from(record.value);
      stored.push({
        ...position,
        key: record.key,
        value,
        headers: record.headers ?? {},
        timeUnixMs: this.#time.nowMs,
      });
      return position;
    });
    const touched = new Set(records.map(({ topic }) => topic));
    for (const [listener, topics] of [...this.#listeners])
      if (topics.some((topic) => touched.has(topic))) listener();
    return positions;
  }

  records(place: Pick<Position, 'topic' | 'partition'>): StoredRecord[] {
    const key = keyOf(place);
    const known = this.#partitions.get(key);
    if (known) return known;
    const records: StoredRecord[] = [];
    this.#partitions.set(key, records);
    return records;
  }

  ranges(topic: string) {
    return Array.from({ length: PARTITIONS }, (_, partition) => ({
      topic,
      partition,
      begin: 0,
      end: this.records({ topic, partition }).length,
    }));
  }

  /** null while another member holds the group. */
  take(group: string, member: Member): readonly Commit[] | null {
    const held = this.#group(group);
    if (held.member !== null && held.member !== member && held.untilMs > this.#time.nowMs) return null;
    held.member = member;
    held.untilMs = this.#time.nowMs + LEASE_MS;
    return [...held.commits.values()];
  }

  /** A sign of life. Throws `FencedError` where another member holds the group. */
  mustHold(group: string, member: Member): void {
    const held = this.#group(group);
    if (held.member === member) held.untilMs = this.#time.nowMs + LEASE_MS;
    else if (this.#fences) throw new FencedError(group);
  }

  leave(group: string, member: Member): void {
    const held = this.#group(group);
    if (held.member === member) held.member = null;
  }

  commit(group: string, commits: readonly Commit[]): void {
    for (const commit of commits) this.#group(group).commits.set(keyOf(commit), commit);
  }

  commits(group: string): Commit[] {
    return [...this.#group(group).commits.values()];
  }

  /** Resolves when something was appended to one of these, or the time is over. */
  changed(topics: readonly string[], ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#listeners.delete(done);
        timer.isCancelled = true;
        resolve();
      };
      const timer = this.#time.after(ms, done);
      this.#listeners.set(done, topics);
    });
  }

  /** Tells histories apart: every record of every topic, with its time. */
  digest(): string {
    const digest = createHash('sha256');
    for (const [place, records] of [...this.#partitions].sort(([a], [b]) => (a < b ? -1 : 1)))
      for (const { key, value, timeUnixMs } of records)
        digest.update(`${place} ${key} ${timeUnixMs} ${value.toString('base64')}\n`);
    return digest.digest('hex');
  }

  #group(name: string): Group {
    const group = this.#groups.get(name) ?? { member: null, untilMs: 0, commits: new Map() };
    this.#groups.set(name, group);
    return group;
  }
}

/** The log as one process sees it, through a network that delays, loses and cuts. */
export const connectLog = (broker: Broker, network: Network, time: VirtualTime): EventLog => {
  let isClosed = false;
  const ask: Connection['ask'] = (carryOut, options) =>
    isClosed ? Promise.reject(new LogClosedError()) : network.ask(carryOut, unreachable, options);

  return {
    append: (records) => ask(() => broker.append(records)),
    read: ({ offset, until = Number.POSITIVE_INFINITY, ...place }) =>
      ask(() => broker.records(place).slice(offset, until)),
    ranges: (topic) => ask(() => broker.ranges(topic)),
    consume: (request) => consume(request, { broker, network, time, ask }),
    commits: (group) => ask(() => broker.commits(group)),
    forgetGroup: () => Promise.reject(new LogError('not_simulated', 'groups are not forgotten here')),
    close: async () => {
      isClosed = true;
    },
  };
};

const unreachable = (): Error => new LogError('unreachable', 'no answer from the log');

type Connection = {
  readonly broker: Broker;
  readonly network: Network;
  readonly time: VirtualTime;
  ask<T>(carryOut: () => T, options?: { readonly isOnce: boolean }): Promise<T>;
};

const consume = async (
  request: ConsumeRequest,
  { broker, network, time, ask }: Connection,
): Promise<Consumer> => {
  const { group, topics, waitMs = 30_000, signal } = request;
  const member: Member = {};
  const untilMs = time.nowMs + waitMs;
  let resumedFrom = await ask(() => broker.take(group, member));
  while (resumedFrom === null) {
    if (time.nowMs >= untilMs) throw new GroupHeldError(group);
    await time.sleep(TAKE_AGAIN_MS, signal ? { signal } : {});
    resumedFrom = await ask(() => broker.take(group, member));
  }
  const next = new Map(
    topics.flatMap((topic) => broker.ranges(topic).map((range) => [keyOf(range), { ...range, offset: 0 }])),
  );
  for (const commit of resumedFrom) {
    const cursor = next.get(keyOf(commit));
    if (cursor) cursor.offset = commit.offset;
  }

  let isClosed = false;
  const mustBeOpen = (): void => {
    if (isClosed) throw new LogClosedError('consumer');
  };
  /** A few records at a time, of whichever partition comes first. */
  const readNext = (): Batch | null => {
    broker.mustHold(group, member);
    for (const cursor of network.random.pick([[...next.values()], [...next.values()].reverse()])) {
      const { topic, partition, offset } = cursor;
      const records = broker.records(cursor).slice(offset, offset + network.random.between(1, 20));
      if (records.length > 0) return { topic, partition, from: offset, records };
    }
    return null;
  };

  return {
    resumedFrom,
    poll: async () => {
      for (let hasWaited = false; ; hasWaited = true) {
        mustBeOpen();
        const batch = await ask(readNext);
        const cursor = batch && next.get(keyOf(batch));
        if (batch && cursor) cursor.offset = batch.from + batch.records.length;
        if (batch || hasWaited) return batch;
        await broker.changed(topics, IDLE_MS);
        // Heard of at once, but only by who is awake.
        await time.sleep(0);
      }
    },
    seek: ({ offset, ...place }) => {
      const cursor = next.get(keyOf(place));
      if (cursor) cursor.offset = offset;
    },
    commit: (commit) =>
      ask(() => {
        broker.mustHold(group, member);
        broker.commit(group, [commit]);
      }),
    transact: ({ records, commits }) => {
      mustBeOpen();
      const carryOut = (): Position[] => {
        broker.mustHold(group, member);
        broker.commit(group, commits);
        return broker.append(records);
      };
      // A log numbers what belongs to a transaction.
      return ask(carryOut, { isOnce: true });
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      // Where that is lost its lease ends.
      await ask(() => broker.leave(group, member)).catch(() => {});
    },
  };
};

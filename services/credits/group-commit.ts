import type { Clock } from '../platform/clock.ts';
import type { AppendRecord, Commit } from '../platform/event-log/event-log.ts';

/** What is written together: all of it or none. */
export type Group = { readonly records: AppendRecord[]; readonly commits: Map<number, Commit> };

type GroupCommit = {
  /** Resolves when this and all that was gathered before is durable. */
  gather(records: readonly AppendRecord[], commit?: Commit): Promise<void>;
  /** Nothing is written any more, and whoever waits hears why. The first reason counts. */
  fail(error: unknown): void;
  failure(): { readonly error: unknown } | null;
  /** Rejects when it failed. */
  readonly failed: Promise<never>;
};

type Waiting = Group & { readonly settled: Promise<void>; resolve(): void; reject(error: unknown): void };

const newGroup = (): Waiting => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Whoever waits for it hears of a failure; a group nobody waits for must not count as unhandled.
  promise.catch(() => {});
  return { records: [], commits: new Map(), settled: promise, resolve, reject };
};

const isEmpty = ({ records, commits }: Group): boolean => records.length === 0 && commits.size === 0;

/** While one group is being written the next one gathers. */
export const createGroupCommit = ({
  write,
  clock,
}: {
  /** Resolves when the group is durable. Called for one group at a time, as it is when its writing begins. */
  write: (group: Group) => Promise<void>;
  clock: Clock;
}): GroupCommit => {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let failure: { readonly error: unknown } | null = null;
  let gathering = newGroup();
  let writing: Waiting | null = null;
  let gatheringSinceUnixMs = 0;
  let lastWriteMs = 0;

  const fail = (error: unknown): void => {
    failure ??= { error };
    gathering.reject(error);
    failed.reject(error);
  };

  const writeGathered = async (): Promise<void> => {
    if (writing !== null || failure !== null || isEmpty(gathering)) return;
    const group = gathering;
    writing = group;
    gathering = newGroup();
    const startUnixMs = clock.nowUnixMs();
    try {
      await write(group);
    } catch (error) {
      group.reject(error);
      fail(error);
      return;
    }
    group.resolve();
    lastWriteMs = clock.nowUnixMs() - startUnixMs;
    writing = null;
    void writeGathered();
  };

  const gather = (records: readonly AppendRecord[], commit?: Commit): Promise<void> => {
    if (isEmpty(gathering)) {
      gatheringSinceUnixMs = clock.nowUnixMs();
      // Later in this turn, so that what is decided in it goes together.
      queueMicrotask(() => void writeGathered());
    }
    for (const record of records) gathering.records.push(record);
    if (commit) gathering.commits.set(commit.partition, commit);
    // Nothing to write: whoever asked again for what was decided before.
    if (isEmpty(gathering)) return writing?.settled ?? Promise.resolve();
    const { settled } = gathering;
    // A turn that decides for longer than a write takes does not keep the log waiting for its end.
    if (clock.nowUnixMs() - gatheringSinceUnixMs > lastWriteMs) void writeGathered();
    return settled;
  };

  return { gather, fail, failure: () => failure, failed: failed.promise };
};

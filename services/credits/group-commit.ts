import type { Clock } from '../platform/clock.ts';
import type { AppendRecord, Commit } from '../platform/event-log/event-log.ts';

/** Events that are written together, all or none. */
export type Group = { readonly records: AppendRecord[]; readonly commits: Map<number, Commit> };

type GroupCommit = {
  /** Resolves when this and everything gathered before is durable. */
  gather(records: readonly AppendRecord[], commit?: Commit): Promise<void>;
  /** Stops writing and rejects all waiters with the first reason. */
  fail(error: unknown): void;
  failure(): { readonly error: unknown } | null;
  /** Rejects if writing failed. */
  readonly failed: Promise<never>;
};

type Waiting = Group & { readonly settled: Promise<void>; resolve(): void; reject(error: unknown): void };

const newGroup = (): Waiting => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // The awaiting caller handles the rejection; a group without waiters must not count as unhandled.
  promise.catch(() => {});
  return { records: [], commits: new Map(), settled: promise, resolve, reject };
};

const isEmpty = ({ records, commits }: Group): boolean => records.length === 0 && commits.size === 0;

/** While one group is written, the next one gathers. */
export const createGroupCommit = ({
  write,
  clock,
}: {
  /** Resolves when the group is durable. Called for one group at a time, when its writing begins. */
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
      // Starts later in this turn, so that all decisions of the turn go together.
      queueMicrotask(() => void writeGathered());
    }
    for (const record of records) gathering.records.push(record);
    if (commit) gathering.commits.set(commit.partition, commit);
    // Nothing to write: the command was decided before.
    if (isEmpty(gathering)) return writing?.settled ?? Promise.resolve();
    const { settled } = gathering;
    // A turn that decides for longer than a write takes must not delay the log.
    if (clock.nowUnixMs() - gatheringSinceUnixMs > lastWriteMs) void writeGathered();
    return settled;
  };

  return { gather, fail, failure: () => failure, failed: failed.promise };
};

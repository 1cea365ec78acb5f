/**
 * The EventLog port: an append-only log of topics and partitions, as in Kafka. Engines: `embedded/` (SQLite)
 * and `kafka/`. Both pass `event-log.contract.ts`.
 */

export type AppendRecord = {
  readonly topic: string;
  /** Chooses the partition by its hash, unless `partition` is given. */
  readonly key: string;
  readonly partition?: number;
  readonly value: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Position = { readonly topic: string; readonly partition: number; readonly offset: number };

export type StoredRecord = Position & {
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeUnixMs: number;
};

export type Commit = Position & {
  /** Free text stored with the committed offset, as in Kafka. Empty when none was given. */
  readonly metadata: string;
};

/**
 * The begin of a partition (after retention), and one past its last record. The next record gets that offset
 * or, in an engine that stores its own marks between records, a later one.
 */
export type PartitionRange = {
  readonly topic: string;
  readonly partition: number;
  readonly begin: number;
  readonly end: number;
};

export type ReadRequest = Position & {
  /** Stops after the record that reaches this many bytes. At least one record is returned if there is one. */
  readonly maxBytes: number;
  /** Exclusive end offset. */
  readonly until?: number;
};

export type Batch = {
  readonly topic: string;
  readonly partition: number;
  /** The position after the previous record, or the sought one. The first record may have a later offset. */
  readonly from: number;
  /** In offset order, without gaps except those of retention and of an engine's own marks. Never empty. */
  readonly records: readonly StoredRecord[];
};

/** A member of a consumer group. It owns all partitions of its topics until it is fenced or closed. */
export type Consumer = {
  /**
   * The group's commits on these topics when this consumer took over: the positions to resume at, with their
   * metadata. Partitions without a commit are read from their beginning.
   */
  readonly resumedFrom: readonly Commit[];
  /**
   * The next records of one partition, fairly over partitions; null when none arrived within `waitMs`. One
   * poll at a time. Throws `FencedError` once it is known that another member took over, and `LogClosedError`
   * after closing.
   */
  poll(request: { maxBytes: number; waitMs: number }): Promise<Batch | null>;
  /** Makes the next poll of this partition start here. A position below the beginning means the beginning. */
  seek(position: Position): void;
  /**
   * Durable when it resolves. `offset` is the next record to read. Throws `FencedError` when another member
   * took over.
   */
  commit(commit: Commit): Promise<void>;
  /**
   * Appends records and commits offsets together, and only while this member owns the group. So the results
   * of a record cannot be written twice, nor by a member that lost the group. Either list may be empty.
   * Resolves to the records' positions. Throws like `append` and `commit`. Calls run one at a time.
   */
  transact(request: { records: readonly AppendRecord[]; commits: readonly Commit[] }): Promise<Position[]>;
  /** Leaves the group, so that a waiting member takes over at once. Commits nothing. */
  close(): Promise<void>;
};

export type ConsumeRequest = {
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * How long to wait while another member holds the group. Default: 30 s, longer than a silent holder keeps
   * it.
   */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
};

export type EventLog = {
  /**
   * Appends all records or none, also across topics, in order. Records of other processes may be in between;
   * all records of a call get the same time. Durable when it resolves. Waits while more than the configured
   * bytes are queued (back-pressure); the records must not be changed until then. Consecutive calls of a
   * process keep their order, but each succeeds or fails on its own. A caller whose later records depend on
   * earlier ones must wait for the earlier call. Throws `UnknownTopicError`, `UnknownPartitionError`,
   * `RecordTooLargeError`, `LogClosedError`, and an engine's own `LogError` when it could not write. After an
   * error nothing of that call is readable.
   */
  append(records: readonly AppendRecord[]): Promise<Position[]>;
  /**
   * Records of one partition from `offset` on (or from its beginning, if that is later), in order; empty at
   * the end.
   */
  read(request: ReadRequest): Promise<StoredRecord[]>;
  ranges(topic: string): Promise<PartitionRange[]>;
  /**
   * Joins a group and waits until this member owns all partitions of the topics. The first member holds the
   * group and others wait; a live holder is never replaced. A holder that ended, or gave no sign of life for
   * the lease time, loses the group to a waiting member. From then on its commits throw `FencedError`, even
   * if it only slept. Throws `GroupHeldError` after `waitMs`, the signal's reason when aborted, and
   * `UnknownTopicError`.
   */
  consume(request: ConsumeRequest): Promise<Consumer>;
  /** The group's commits, without joining it. */
  commits(group: string): Promise<Commit[]>;
  /**
   * Deletes a group's commits, so that it reads from the beginning again. Throws `GroupHeldError` while a
   * member holds it.
   */
  forgetGroup(group: string): Promise<void>;
  /**
   * Writes what is queued, leaves the groups it holds, and closes. Every later call throws `LogClosedError`.
   */
  close(): Promise<void>;
};

export class LogError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

export class UnknownTopicError extends LogError {
  constructor(topic: string) {
    super('unknown_topic', `topic ${topic} is not declared`);
  }
}

export class UnknownPartitionError extends LogError {
  constructor(topic: string, partition: number) {
    super('unknown_partition', `topic ${topic} has no partition ${partition}`);
  }
}

/**
 * A topic that is the source of truth was declared with another partition count. Its keys would lose their
 * order.
 */
export class PartitionsChangedError extends LogError {
  constructor(topic: string, declared: number, existing: number) {
    super(
      'partitions_changed',
      `topic ${topic} was created with ${existing} partitions and is declared with ${declared} now; ` +
        'declare the old number again, or begin a new log and fill it from the chains',
    );
  }
}

export class RecordTooLargeError extends LogError {
  constructor(bytes: number, limit: number) {
    super('record_too_large', `record of ${bytes} bytes is above the limit of ${limit}`);
  }
}

/** Another member of the group took over. Work in progress must not be committed. */
export class FencedError extends LogError {
  constructor(group: string) {
    super('fenced', `another member of group ${group} took over`);
  }
}

export class GroupHeldError extends LogError {
  constructor(group: string) {
    super('group_held', `group ${group} is held by another member`);
  }
}

export class LogClosedError extends LogError {
  constructor(what: 'event log' | 'consumer' = 'event log') {
    super('log_closed', `the ${what} is closed`);
  }
}

/** Another process took over, or the log is closed. Retrying does not help. */
export const isLogLost = (error: unknown): boolean =>
  error instanceof FencedError || error instanceof LogClosedError;

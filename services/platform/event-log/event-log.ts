/**
 * The EventLog port: an append-only log of topics and partitions, as Kafka has them.
 * Engines: `embedded/` (SQLite) and `kafka/`. Both pass `event-log.contract.ts`.
 */

export type AppendRecord = {
  readonly topic: string;
  /** Chooses the partition by hash, unless `partition` is given. */
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
  /** Free text kept with the committed offset, as Kafka keeps it. Empty when none was given. */
  readonly metadata: string;
};

/**
 * Where a partition begins (after retention), and one past its last record. The next record gets that offset or, where
 * an engine keeps marks of its own between records, a later one.
 */
export type PartitionRange = {
  readonly topic: string;
  readonly partition: number;
  readonly begin: number;
  readonly end: number;
};

export type ReadRequest = Position & {
  /** Stops after the record that reaches this many bytes; at least one record is returned when there is one. */
  readonly maxBytes: number;
  /** Exclusive end offset. */
  readonly until?: number;
};

export type Batch = {
  readonly topic: string;
  readonly partition: number;
  /** Behind the record before, or where it was sought. There may be no records from here to the first one. */
  readonly from: number;
  /** In offset order, without gaps but those of retention and of an engine's own marks. Never empty. */
  readonly records: readonly StoredRecord[];
};

/** A member of a consumer group that owns all partitions of its topics until it is fenced or closed. */
export type Consumer = {
  /**
   * The commits the group had on these topics when this consumer took over: where it resumes, and the metadata kept
   * there. Partitions without a commit are read from their beginning.
   */
  readonly resumedFrom: readonly Commit[];
  /**
   * The next records of one partition, fairly over partitions; null when none came within `waitMs`. One poll at a time.
   * Throws `FencedError` once it is known that another member took over, `LogClosedError` after closing.
   */
  poll(request: { maxBytes: number; waitMs: number }): Promise<Batch | null>;
  /** The next poll of this partition starts here; below the beginning means at the beginning. */
  seek(position: Position): void;
  /** Durable when it resolves. `offset` is the next record to read. Throws `FencedError` when another member took over. */
  commit(commit: Commit): Promise<void>;
  /**
   * Appends records and commits offsets, all or none, and only while this member owns the group: what follows from what
   * was read cannot be written twice, nor by a member that was pushed out. Either list may be empty. Resolves to the
   * records' positions. Throws as `append` and `commit` do. One at a time: the next call waits for the one before.
   */
  transact(request: { records: readonly AppendRecord[]; commits: readonly Commit[] }): Promise<Position[]>;
  /** Leaves the group, so that a waiting member takes over at once. Commits nothing. */
  close(): Promise<void>;
};

export type ConsumeRequest = {
  readonly group: string;
  readonly topics: readonly string[];
  /** How long to wait while another member holds the group; 30 s unless given, longer than a silent holder is spared. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
};

export type EventLog = {
  /**
   * Appends all records or none, also across topics, in order; records of other processes may stand between them, and all
   * have the same time. Durable when it resolves. Waits while more than the
   * configured bytes are queued (back-pressure). The records must not be changed until then. Calls made in turn by
   * one process keep their order; each succeeds or fails for itself, so who must not have a later call without the
   * earlier one waits for it. Throws `UnknownTopicError`, `UnknownPartitionError`, `RecordTooLargeError`, `LogClosedError`,
   * and an engine's own `LogError` when it could not write; nothing of that call is readable then.
   */
  append(records: readonly AppendRecord[]): Promise<Position[]>;
  /** Records of one partition from `offset` (or from its beginning, if that is later) on, in order; empty at the end. */
  read(request: ReadRequest): Promise<StoredRecord[]>;
  ranges(topic: string): Promise<PartitionRange[]>;
  /**
   * Joins a group and waits until this member owns all partitions of the topics. First come holds, others wait: a
   * holder that lives is never pushed out. One that ended, or gave no sign of life for the lease time, loses the group
   * to a waiting member, and from then on its commits throw `FencedError`, also when it only slept.
   * Throws `GroupHeldError` after `waitMs`, the signal's reason when aborted, `UnknownTopicError`.
   */
  consume(request: ConsumeRequest): Promise<Consumer>;
  /** The group's commits, without joining it. */
  commits(group: string): Promise<Commit[]>;
  /** Forgets a group's commits, so that it reads from the beginning again. `GroupHeldError` while a member holds it. */
  forgetGroup(group: string): Promise<void>;
  /** Writes what is queued, leaves the groups it holds, and closes. Everything after it throws `LogClosedError`. */
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

/** A topic that is the source of truth has another partition count than declared: its keys would lose their order. */
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

/** Another member of the group took over: whatever this one was doing must not be committed. */
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

/** Another process took over, or the log is closed: waiting does not heal it. */
export const isLogLost = (error: unknown): boolean =>
  error instanceof FencedError || error instanceof LogClosedError;

/**
 * The EventLog port: an append-only log of topics and partitions, as Kafka has them.
 * Engines: `embedded/` (SQLite) and, from its own issue on, `kafka/`. Both pass `event-log.contract.ts`.
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

/** Where a partition begins (after retention) and the offset its next record will get. */
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
  /** In offset order, without gaps but those retention made. Never empty. */
  readonly records: readonly StoredRecord[];
};

/** A member of a consumer group that owns all partitions of its topics until it is fenced or closed. */
export type Consumer = {
  /** The commits the group had when this consumer took over: where it resumes, and the metadata kept there. */
  readonly resumedFrom: readonly Commit[];
  /** The next records of one partition, fairly over partitions; null when none came within `waitMs`. */
  poll(request: { maxBytes: number; waitMs: number }): Promise<Batch | null>;
  /** The next poll of this partition starts here. */
  seek(position: Position): void;
  /** Durable when it resolves. `offset` is the next record to read. Throws `FencedError` when another member took over. */
  commit(commit: Commit): Promise<void>;
  close(): Promise<void>;
};

export type EventLog = {
  /**
   * Appends all records or none, in order. Durable when it resolves. Waits while more than the configured bytes
   * are queued (back-pressure). Throws `UnknownTopicError`, `RecordTooLargeError`, `LogClosedError`.
   */
  append(records: readonly AppendRecord[]): Promise<Position[]>;
  /** Records of one partition from `offset` on, in order; empty at the end. */
  read(request: ReadRequest): Promise<StoredRecord[]>;
  ranges(topic: string): Promise<PartitionRange[]>;
  consume(request: { group: string; topics: readonly string[] }): Promise<Consumer>;
  /** The group's commits, without joining it. */
  commits(group: string): Promise<Commit[]>;
  /** Forgets a group, so that it reads from the beginning again. Refused while a member holds it. */
  forgetGroup(group: string): Promise<void>;
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
  constructor() {
    super('log_closed', 'the event log is closed');
  }
}

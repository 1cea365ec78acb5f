import type { DatabaseSync } from 'node:sqlite';
import { type Clock, systemClock } from '../../clock.ts';
import {
  type Commit,
  type ConsumeRequest,
  type Consumer,
  type EventLog,
  GroupHeldError,
  LogClosedError,
  type LogError,
  type PartitionRange,
  type ReadRequest,
  type StoredRecord,
} from '../event-log.ts';
import type { Topic } from '../topics.ts';
import { createAppendQueue } from './append-queue.ts';
import { fileBytes } from './bound-wal.ts';
import { createConsumer } from './consumer.ts';
import { takeLease } from './lease.ts';
import { logFilePath, openLogFile } from './log-file.ts';
import { toLogFileError } from './log-file-error.ts';
import { createLogReader } from './log-reader.ts';
import { placeRecords } from './place-records.ts';
import { registerTopics } from './register-topics.ts';
import { createEnforceRetention } from './retention.ts';
import { createWakeSignal } from './wake-signal.ts';
import { startWriter } from './writer.ts';

const LEASE_MS = 10_000;
const LOCK_TIMEOUT_MS = 10_000;
const RETENTION_EVERY_MS = 60_000;

export type EmbeddedLogOptions = {
  /** Contains `log.sqlite`; created if missing. Several processes may have it open. */
  readonly folder: string;
  /** Whether the log was written before and must exist. Default: false. */
  readonly wasWritten?: boolean;
  readonly topics: readonly Topic[];
  readonly maxQueuedBytes: number;
  /** Key, value, headers and 24 bytes. */
  readonly maxRecordBytes: number;
  /** A group's holder without a sign of life for this long can be replaced. Default: 10 s. */
  readonly leaseMs?: number;
  /** How long a write waits for another process' write before it fails with `log_locked`. Default: 10 s. */
  readonly lockTimeoutMs?: number;
  readonly clock?: Clock;
  /** Called with errors of background work (renewing leases, retention). Both are retried. */
  readonly onError?: (error: LogError) => void;
};

export type EmbeddedLog = EventLog & {
  /**
   * Deletes records beyond their topic's retention; also runs every minute. Resolves to the number of deleted
   * records.
   */
  enforceRetention(): Promise<number>;
  stats(): { queuedBytes: number; walBytes: number; fileBytes: number };
};

/**
 * Opens the event log in a folder. Throws `LogFileError` (problems of the file) and `PartitionsChangedError`.
 */
export const openEmbeddedLog = async (options: EmbeddedLogOptions): Promise<EmbeddedLog> => {
  const db = await openLogFile(options.folder, options.wasWritten);
  try {
    return assemble(db, options);
  } catch (error) {
    db.close();
    throw toLogFileError(error, logFilePath(options.folder));
  }
};

const ignore = (): void => {};

const assemble = (db: DatabaseSync, options: EmbeddedLogOptions): EmbeddedLog => {
  const { maxRecordBytes, leaseMs = LEASE_MS, clock = systemClock, onError = ignore } = options;
  const file = logFilePath(options.folder);
  const catalog = registerTopics(db, options.topics);
  db.exec('PRAGMA query_only = ON');
  const reader = createLogReader(db, file);
  const writer = startWriter({ file, lockTimeoutMs: options.lockTimeoutMs ?? LOCK_TIMEOUT_MS });
  const wakeSignal = createWakeSignal(reader.hasChanged);
  const queue = createAppendQueue({ ...options, catalog, writer, onDurable: wakeSignal.wake });
  const enforceRetention = createEnforceRetention({ catalog, writer, clock });
  const retention = setInterval(() => void enforceRetention().catch(onError), RETENTION_EVERY_MS).unref();
  const consumers = new Set<Consumer>();
  let closing: Promise<void> | null = null;

  const mustBeOpen = (): void => {
    if (closing !== null) throw new LogClosedError();
  };

  const read = async (request: ReadRequest): Promise<StoredRecord[]> => {
    mustBeOpen();
    const { offset: from, until = Number.MAX_SAFE_INTEGER } = request;
    return reader.read({ ...request, partitionId: catalog.idOf(request), from, until });
  };

  const ranges = async (topic: string): Promise<PartitionRange[]> => {
    mustBeOpen();
    const extents = reader.extents();
    return catalog
      .idsOf(topic)
      .map((id, partition) => ({ topic, partition, ...(extents.get(id) ?? { begin: 0, end: 0 }) }));
  };

  const commits = async (group: string): Promise<Commit[]> => {
    mustBeOpen();
    return reader.commits(group);
  };

  const consume = async (request: ConsumeRequest): Promise<Consumer> => {
    mustBeOpen();
    for (const topic of request.topics) catalog.idsOf(topic);
    const { group, topics } = request;
    const lease = await takeLease(request, { writer, clock, leaseMs, onLost: wakeSignal.wake, onError });
    if (closing !== null) {
      // A lease taken while the log closes would never be released.
      await lease.release();
      throw new LogClosedError();
    }
    const resumedFrom = reader.commits(group).filter((commit) => topics.includes(commit.topic));
    const consumer = createConsumer({
      group,
      topics,
      resumedFrom,
      catalog,
      reader,
      lease,
      wakeSignal,
      place: (records) => placeRecords(records, { catalog, maxRecordBytes, timeUnixMs: clock.nowUnixMs() }),
      onClose: () => void consumers.delete(consumer),
    });
    consumers.add(consumer);
    return consumer;
  };

  const forgetGroup = async (group: string): Promise<void> => {
    mustBeOpen();
    if (!(await writer.call('forget', { group, nowUnixMs: clock.nowUnixMs() })))
      throw new GroupHeldError(group);
  };

  const shut = async (): Promise<void> => {
    clearInterval(retention);
    await queue.drain();
    await Promise.all([...consumers].map((consumer) => consumer.close()));
    // The writer closes last: the last connection truncates the write-ahead log, off this thread.
    db.close();
    await writer.stop();
  };

  return {
    append: (records) => queue.append(records, clock.nowUnixMs()),
    read,
    ranges,
    commits,
    consume,
    forgetGroup,
    enforceRetention,
    stats: () => ({
      queuedBytes: queue.queuedBytes(),
      walBytes: fileBytes(`${file}-wal`),
      fileBytes: fileBytes(file),
    }),
    close: () => {
      closing ??= shut();
      return closing;
    },
  };
};

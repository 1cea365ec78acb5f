import type { AppendRecord, Position } from '../event-log.ts';
import { LogClosedError } from '../event-log.ts';
import { packRecords } from './packed-records.ts';
import { type PlacedRecords, placeRecords, topicsOf, withOffsets } from './place-records.ts';
import type { Catalog } from './register-topics.ts';
import type { Writer } from './writer.ts';

/** Two: while one group is being synced, the next one is already at the writing thread. */
const GROUPS_IN_FLIGHT_MAX = 2;
/** Limits how long a small append waits behind others in its transaction. */
const GROUP_BYTES_MAX = 8 * 1024 * 1024;

type Append = PlacedRecords & {
  resolve(positions: Position[]): void;
  reject(error: unknown): void;
};

export type AppendQueue = {
  append(records: readonly AppendRecord[], timeUnixMs: number): Promise<Position[]>;
  /** Bytes copied for the writing thread that are not durable yet. */
  queuedBytes(): number;
  /** Accepts no more appends and resolves when all earlier ones are settled. */
  drain(): Promise<void>;
};

type Options = {
  readonly catalog: Catalog;
  readonly writer: Pick<Writer, 'call'>;
  readonly maxQueuedBytes: number;
  readonly maxRecordBytes: number;
  /** Called with the topics that were appended to. */
  readonly onDurable: (topics: ReadonlySet<string>) => void;
};

/**
 * Group commit: appends that arrive while the disk is busy share the next transaction. Appends beyond
 * `maxQueuedBytes` wait in order, uncopied. One that is larger than the limit goes alone.
 */
export const createAppendQueue = (options: Options): AppendQueue => {
  const { catalog, writer, maxQueuedBytes, maxRecordBytes, onDurable } = options;
  const waiting: Append[] = [];
  const drained: (() => void)[] = [];
  let queuedBytes = 0;
  let groupsInFlight = 0;
  let isScheduled = false;
  let isClosed = false;

  const takeGroup = (): { appends: Append[]; bytes: number } => {
    const limit = Math.min(GROUP_BYTES_MAX, maxQueuedBytes - queuedBytes);
    let bytes = 0;
    let count = 0;
    for (const append of waiting) {
      const goesAlone = count === 0 && queuedBytes === 0;
      if (bytes + append.bytes > limit && !goesAlone) break;
      bytes += append.bytes;
      count++;
    }
    return { appends: waiting.splice(0, count), bytes };
  };

  const settle = (appends: readonly Append[], offsets: Float64Array): void => {
    let row = 0;
    for (const append of appends) {
      append.resolve(withOffsets(append.positions, offsets, row));
      row += append.positions.length;
    }
  };

  const write = async (appends: readonly Append[], bytes: number): Promise<void> => {
    try {
      const records = appends.flatMap((append) => append.records);
      const pack = packRecords(records, bytes);
      const offsets = await writer.call('append', { pack, records: records.length }, [pack.buffer]);
      onDurable(topicsOf(appends.flatMap((append) => append.positions)));
      settle(appends, offsets);
    } catch (error) {
      for (const append of appends) append.reject(error);
    }
  };

  const pump = (): void => {
    isScheduled = false;
    while (groupsInFlight < GROUPS_IN_FLIGHT_MAX) {
      const { appends, bytes } = takeGroup();
      if (appends.length === 0) break;
      groupsInFlight++;
      queuedBytes += bytes;
      void write(appends, bytes).then(() => {
        groupsInFlight--;
        queuedBytes -= bytes;
        pump();
      });
    }
    if (groupsInFlight === 0) for (const resolve of drained.splice(0)) resolve();
  };

  const append = async (records: readonly AppendRecord[], timeUnixMs: number): Promise<Position[]> => {
    if (isClosed) throw new LogClosedError();
    if (records.length === 0) return [];
    const placed = placeRecords(records, { catalog, maxRecordBytes, timeUnixMs });
    const { promise, resolve, reject } = Promise.withResolvers<Position[]>();
    waiting.push({ ...placed, resolve, reject });
    // Later in this turn of the event loop, so that calls made together are written together.
    if (!isScheduled) queueMicrotask(pump);
    isScheduled = true;
    return promise;
  };

  const drain = (): Promise<void> => {
    isClosed = true;
    if (groupsInFlight === 0 && waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => drained.push(resolve));
  };

  return { append, queuedBytes: () => queuedBytes, drain };
};

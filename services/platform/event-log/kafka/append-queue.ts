import { type AppendRecord, LogClosedError, type Position } from '../event-log.ts';
import { BATCH_BYTES_MAX, type PlacedAppend } from './batch-records.ts';
import { toLogError } from './kafka-error.ts';
import { positionsOf } from './place-records.ts';
import type { WriteAppends } from './write-idempotent.ts';

/** Limits what a request holds in memory, and how long a small append waits behind others. */
const GROUP_BYTES_MAX = 8 * 1024 * 1024;

type Waiting = PlacedAppend & {
  resolve(positions: Position[]): void;
  reject(error: unknown): void;
};

type Options = {
  readonly place: (records: readonly AppendRecord[]) => PlacedAppend;
  readonly maxQueuedBytes: number;
  /** For appends that fit one batch. */
  readonly writeBatches: WriteAppends;
  readonly writeTransaction: WriteAppends;
};

export type AppendQueue = {
  append(records: readonly AppendRecord[]): Promise<Position[]>;
  /** Bytes passed to the writer and not acknowledged yet. */
  queuedBytes(): number;
  /** Accepts no more appends and resolves when all earlier ones are settled. */
  drain(): Promise<void>;
};

const isOneBatch = ({ places, bytes }: PlacedAppend): boolean =>
  bytes <= BATCH_BYTES_MAX &&
  places.every(({ topic, partition }) => topic === places[0]?.topic && partition === places[0]?.partition);

/** Whether an append fits the one batch that each partition has in a request. */
const createBatchFilling = () => {
  const filled = new Map<string, number>();
  return (append: PlacedAppend): boolean => {
    if (!isOneBatch(append)) return false;
    const key = `${append.places[0]?.topic}/${append.places[0]?.partition}`;
    const bytes = (filled.get(key) ?? 0) + append.bytes;
    filled.set(key, bytes);
    return bytes <= BATCH_BYTES_MAX;
  };
};

/**
 * Group commit: appends that arrive while a request is under way share the next one. Appends beyond the
 * group's byte limit wait in order, unencoded. A larger one goes alone.
 */
export const createAppendQueue = (options: Options): AppendQueue => {
  const { place, writeBatches, writeTransaction } = options;
  const groupBytesMax = Math.min(GROUP_BYTES_MAX, options.maxQueuedBytes);
  const waiting: Waiting[] = [];
  let queuedBytes = 0;
  let pumping: Promise<void> | null = null;
  let isClosed = false;

  /** The next appends that fit one request. The first one decides whether it is a transaction. */
  const takeGroup = (): { appends: Waiting[]; bytes: number; write: WriteAppends } => {
    const first = waiting[0];
    const write = first && isOneBatch(first) ? writeBatches : writeTransaction;
    const fits = write === writeBatches ? createBatchFilling() : () => true;
    let bytes = 0;
    let count = 0;
    for (const append of waiting) {
      if (count > 0 && bytes + append.bytes > groupBytesMax) break;
      if (!fits(append)) break;
      bytes += append.bytes;
      count++;
    }
    return { appends: waiting.splice(0, count), bytes, write };
  };

  const pump = async (): Promise<void> => {
    while (waiting.length > 0) {
      const { appends, bytes, write } = takeGroup();
      queuedBytes = bytes;
      const refusals = await write(appends).catch((error: unknown) => appends.map(() => toLogError(error)));
      for (const [i, append] of appends.entries()) {
        if (refusals[i]) append.reject(refusals[i]);
        else append.resolve(positionsOf(append));
      }
    }
    queuedBytes = 0;
    pumping = null;
  };

  return {
    append: async (records) => {
      if (isClosed) throw new LogClosedError();
      if (records.length === 0) return [];
      const placed = place(records);
      const { promise, resolve, reject } = Promise.withResolvers<Position[]>();
      waiting.push({ ...placed, resolve, reject });
      // Later in this turn of the event loop, so that calls made together are written together.
      pumping ??= Promise.resolve().then(pump);
      return promise;
    },
    queuedBytes: () => queuedBytes,
    drain: async () => {
      isClosed = true;
      await pumping;
    },
  };
};

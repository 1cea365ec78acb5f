import type { AppendRecord } from '../event-log.ts';
import { recordBytes } from './record-bytes.ts';
import type { PartitionName } from './topic-catalog.ts';

/** The brokers' limit for one batch of each topic (`max.message.bytes`). */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** A batch is closed before it exceeds this size, because a reader always receives whole batches. */
export const BATCH_BYTES_MAX = 1024 * 1024;

/** The records of one call, with their partitions and, later, offsets. */
export type PlacedAppend = {
  readonly records: readonly AppendRecord[];
  readonly places: readonly PartitionName[];
  readonly timeUnixMs: number;
  readonly bytes: number;
  /** Set when the records are written. */
  readonly offsets: number[];
};

type Slot = { readonly append: PlacedAppend; readonly at: number };

/** Records that Kafka writes to a partition together or not at all. */
export type RecordBatch = PartitionName & { readonly slots: Slot[]; bytes: number; isWritten: boolean };

/**
 * Groups records into batches, in order. The first round has the first batch of each partition, the next
 * round its second, and so on, because a request carries one batch for each partition.
 */
export const batchRecords = (appends: readonly PlacedAppend[]): RecordBatch[][] => {
  const rounds: RecordBatch[][] = [];
  const open = new Map<string, { batch: RecordBatch; round: number }>();
  for (const append of appends) {
    for (const [index, place] of append.places.entries()) {
      const record = append.records[index];
      if (!record) continue;
      const key = `${place.topic}/${place.partition}`;
      const bytes = recordBytes(record);
      const known = open.get(key);
      if (known && known.batch.bytes + bytes <= BATCH_BYTES_MAX) {
        known.batch.slots.push({ append, at: index });
        known.batch.bytes += bytes;
        continue;
      }
      const batch = { ...place, slots: [{ append, at: index }], bytes, isWritten: false };
      const round = known ? known.round + 1 : 0;
      open.set(key, { batch, round });
      const ofRound = rounds[round];
      if (ofRound) ofRound.push(batch);
      else rounds.push([batch]);
    }
  }
  return rounds;
};

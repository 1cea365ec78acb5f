import { type AppendRecord, type Position, RecordTooLargeError } from '../event-log.ts';
import type { PlacedAppend } from './batch-records.ts';
import { recordBytes } from './record-bytes.ts';
import type { TopicCatalog } from './topic-catalog.ts';

/** Finds the partition of each record. Throws `UnknownTopicError`, `UnknownPartitionError`, `RecordTooLargeError`. */
export const placeRecords = (
  records: readonly AppendRecord[],
  options: { catalog: TopicCatalog; maxRecordBytes: number; timeUnixMs: number },
): PlacedAppend => {
  const { catalog, maxRecordBytes, timeUnixMs } = options;
  let bytes = 0;
  const places = records.map((record) => {
    const size = recordBytes(record);
    if (size > maxRecordBytes) throw new RecordTooLargeError(size, maxRecordBytes);
    bytes += size;
    return catalog.place(record);
  });
  return { records, places, timeUnixMs, bytes, offsets: [] };
};

/** Once they are written. */
export const positionsOf = ({ places, offsets }: PlacedAppend): Position[] =>
  places.map((name, i) => ({ ...name, offset: offsets[i] ?? Number.NaN }));

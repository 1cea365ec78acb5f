import { type AppendRecord, type Position, RecordTooLargeError } from '../event-log.ts';
import { type PlacedRecord, packedBytes } from './packed-records.ts';
import type { Catalog } from './register-topics.ts';

export type PlacedRecords = {
  readonly records: readonly PlacedRecord[];
  /** Of the pack that will hold them. */
  readonly bytes: number;
  /** The partition of each. Its offset is known when it is written. */
  readonly positions: readonly Omit<Position, 'offset'>[];
};

/** Finds the partition of each record. Throws `UnknownTopicError`, `UnknownPartitionError`, `RecordTooLargeError`. */
export const placeRecords = (
  records: readonly AppendRecord[],
  options: { catalog: Catalog; maxRecordBytes: number; timeUnixMs: number },
): PlacedRecords => {
  const { catalog, maxRecordBytes, timeUnixMs } = options;
  const positions: Omit<Position, 'offset'>[] = [];
  const placed: PlacedRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const { topic, partition, partitionId } = catalog.place(record);
    const { key, value, headers } = record;
    const hasHeaders = headers !== undefined && Object.keys(headers).length > 0;
    const next = {
      partitionId,
      timeUnixMs,
      key,
      value,
      headers: hasHeaders ? JSON.stringify(headers) : null,
    };
    const size = packedBytes(next);
    if (size > maxRecordBytes) throw new RecordTooLargeError(size, maxRecordBytes);
    bytes += size;
    placed.push(next);
    positions.push({ topic, partition });
  }
  return { records: placed, bytes, positions };
};

export const withOffsets = (
  positions: PlacedRecords['positions'],
  offsets: ArrayLike<number>,
  first = 0,
): Position[] => positions.map((name, i) => ({ ...name, offset: offsets[first + i] ?? Number.NaN }));

export const topicsOf = (positions: PlacedRecords['positions']): ReadonlySet<string> =>
  new Set(positions.map(({ topic }) => topic));

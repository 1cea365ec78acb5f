import type { AppendRecord } from '../event-log.ts';

/** About what Kafka adds to a record. */
const FRAME_BYTES = 24;

/** How byte limits of appends, queues and reads count a record: key, value, headers and 24 bytes. */
export const recordBytes = ({
  key,
  value,
  headers = {},
}: Pick<AppendRecord, 'key' | 'value' | 'headers'>): number => {
  let bytes = FRAME_BYTES + Buffer.byteLength(key) + value.length;
  for (const [name, text] of Object.entries(headers))
    bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
  return bytes;
};

import { messageOf } from '../message-of.ts';
import type { RefusedRecord } from './bury-records.ts';
import type { StoredRecord } from './event-log.ts';

/** Decodes what can be decoded, in order; the rest is refused with what `decode` threw. */
export const decodeRecords = <Decoded>(
  records: readonly StoredRecord[],
  decode: (record: StoredRecord) => Decoded,
): { decoded: Decoded[]; refused: RefusedRecord[] } => {
  const decoded: Decoded[] = [];
  const refused: RefusedRecord[] = [];
  for (const record of records) {
    try {
      decoded.push(decode(record));
    } catch (error) {
      refused.push({ record, reason: messageOf(error) });
    }
  }
  return { decoded, refused };
};

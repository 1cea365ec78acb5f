import { releaseBuffer } from '../release-buffer.ts';
import type { AppendRecord } from './event-log.ts';

/** Gives back the memory of values that were stored, on either side of the log. */
export const releaseValues = (records: readonly Pick<AppendRecord, 'value'>[]): void => {
  for (const { value } of records) releaseBuffer(value);
};

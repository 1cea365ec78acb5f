import type { StoredRecord } from './event-log.ts';

/**
 * Gives back the memory of values that nobody will look at again, where a value has a buffer of its own. Left to the garbage
 * collector, every 64 MiB of them make it go through the whole heap, of which they are no part.
 */
export const releaseValues = (records: readonly StoredRecord[]): void => {
  for (const { value } of records) {
    const { buffer } = value;
    // A value may also be a piece of what a broker sent, or of Node's own pool.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === value.byteLength) buffer.transfer(0);
  }
};

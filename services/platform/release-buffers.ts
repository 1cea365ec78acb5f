/**
 * Gives back the memory of bytes that nobody will look at again, where they have a buffer of their own. Left to the garbage
 * collector, every 64 MiB of such buffers make it go through the whole heap, though they are no part of it.
 */
export const releaseBuffer = ({ buffer, byteLength }: Uint8Array): void => {
  // They may also be a piece of what somebody sent, or of Node's own pool.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
};

/** Releases the values of records that were stored, on either side of the log. */
export const releaseValues = (records: readonly { readonly value: Uint8Array }[]): void => {
  for (const { value } of records) releaseBuffer(value);
};

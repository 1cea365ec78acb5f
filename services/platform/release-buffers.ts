/**
 * Frees the memory of bytes that nobody will read again, if they have their own buffer. Left to the garbage
 * collector, every 64 MiB of such buffers trigger a full collection, although they are outside the heap.
 */
export const releaseBuffer = ({ buffer, byteLength }: Uint8Array): void => {
  // They may also be part of a received message, or of Node's own pool.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
};

/** Frees the values of records that were stored, on either side of the log. */
export const releaseValues = (records: readonly { readonly value: Uint8Array }[]): void => {
  for (const { value } of records) releaseBuffer(value);
};

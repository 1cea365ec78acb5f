/** A record on its way to the writing thread. */
export type PlacedRecord = {
  readonly partitionId: number;
  readonly timeUnixMs: number;
  readonly key: string;
  /** JSON object; null where there are no headers. */
  readonly headers: string | null;
  readonly value: Uint8Array;
};

// partition id, key bytes, header bytes, value bytes (32 bits each), time (64 bits)
const FRAME_BYTES = 24;

/** The size of the record in a pack. Byte limits of queues and reads count the same. */
export const packedBytes = (record: PlacedRecord): number =>
  FRAME_BYTES +
  Buffer.byteLength(record.key) +
  (record.headers === null ? 0 : Buffer.byteLength(record.headers)) +
  record.value.length;

/**
 * Copies records into one buffer that can be transferred to a thread without another copy. Transferring many
 * small records one by one costs more than writing them.
 */
export const packRecords = (records: readonly PlacedRecord[], bytes: number): Buffer<ArrayBuffer> => {
  const pack = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const { partitionId, timeUnixMs, key, headers, value } of records) {
    const body = at + FRAME_BYTES;
    const keyBytes = pack.write(key, body);
    const headerBytes = headers === null ? 0 : pack.write(headers, body + keyBytes);
    pack.set(value, body + keyBytes + headerBytes);
    pack.writeUInt32LE(partitionId, at);
    pack.writeUInt32LE(keyBytes, at + 4);
    pack.writeUInt32LE(headerBytes, at + 8);
    pack.writeUInt32LE(value.length, at + 12);
    pack.writeDoubleLE(timeUnixMs, at + 16);
    at = body + keyBytes + headerBytes + value.length;
  }
  return pack;
};

/** The records of a pack in order. Their values are views into it. */
export function* unpackRecords(bytes: Uint8Array): Generator<PlacedRecord> {
  const pack = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at < pack.length) {
    const key = at + FRAME_BYTES;
    const headers = key + pack.readUInt32LE(at + 4);
    const value = headers + pack.readUInt32LE(at + 8);
    const end = value + pack.readUInt32LE(at + 12);
    yield {
      partitionId: pack.readUInt32LE(at),
      timeUnixMs: pack.readDoubleLE(at + 16),
      key: pack.toString('utf8', key, headers),
      headers: headers === value ? null : pack.toString('utf8', headers, value),
      value: pack.subarray(value, end),
    };
    at = end;
  }
}

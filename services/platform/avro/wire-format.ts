/**
 * The Confluent wire format: a zero byte, the schema's id as 32-bit big-endian integer, then the Avro body.
 */

const MAGIC = 0;
export const HEADER_BYTES = 5;

export class WireFormatError extends Error {
  readonly code: 'too_short' | 'unknown_magic';
  constructor(code: 'too_short' | 'unknown_magic', message: string) {
    super(message);
    this.name = 'WireFormatError';
    this.code = code;
  }
}

/** Writes the header in place; `target` must hold at least `HEADER_BYTES`. */
export const writeHeader = (target: Buffer, schemaId: number): void => {
  target[0] = MAGIC;
  target.writeUInt32BE(schemaId, 1);
};

/** The schema id of a record and its Avro body (a view, not a copy). Throws `WireFormatError`. */
export const splitRecord = (value: Buffer): { schemaId: number; body: Buffer } => {
  if (value.length < HEADER_BYTES)
    throw new WireFormatError('too_short', `record of ${value.length} bytes has no header`);
  if (value[0] !== MAGIC)
    throw new WireFormatError('unknown_magic', `record starts with byte ${value[0]}, not 0`);
  return { schemaId: value.readUInt32BE(1), body: value.subarray(HEADER_BYTES) };
};

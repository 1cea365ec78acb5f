import type avsc from 'avsc';
import { type AvroSchema, loadSchema } from '../platform/avro/schemas.ts';

const countFields = ({ type }: AvroSchema): number => (type as avsc.types.RecordType).fields.length;
const NEWEST = countFields(loadSchema('BlockTransfers'));

/** Whether a later version wrote it, with columns unknown here. */
export const isNewerSchema = (schema: AvroSchema): boolean => countFields(schema) > NEWEST;

/**
 * Upgrades a body of an earlier schema to the newest, because the engine takes a batch in one schema. Columns are
 * only appended, empty by default, and an empty array is one zero byte. A newer body stays unchanged.
 */
export const toNewestBody = (schema: AvroSchema, body: Buffer): Buffer => {
  const missing = NEWEST - countFields(schema);
  return missing <= 0 ? body : Buffer.concat([body, Buffer.alloc(missing)]);
};

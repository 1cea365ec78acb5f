import type avsc from 'avsc';
import { type AvroSchema, loadSchema } from '../platform/avro/schemas.ts';

const countFields = ({ type }: AvroSchema): number => (type as avsc.types.RecordType).fields.length;
const NEWEST = countFields(loadSchema('BlockTransfers'));

/** Whether a later version of the program wrote it: with columns that are not known here. */
export const isNewerSchema = (schema: AvroSchema): boolean => countFields(schema) > NEWEST;

/**
 * A body that an earlier version of the schema wrote, as the newest would have written it: the engine takes a batch as of one
 * schema. Columns are only ever added at the end, empty by default, and an empty array is one zero byte.
 * What a newer schema wrote stays as it is.
 */
export const toNewestBody = (schema: AvroSchema, body: Buffer): Buffer => {
  const missing = NEWEST - countFields(schema);
  return missing <= 0 ? body : Buffer.concat([body, Buffer.alloc(missing)]);
};

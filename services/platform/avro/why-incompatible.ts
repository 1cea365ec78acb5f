import { messageOf } from '../message-of.ts';
import type { AvroSchema } from './schemas.ts';

/**
 * Why `schema` cannot read records of one of its earlier versions, by Avro's schema resolution; null when it
 * reads them all (compatibility `BACKWARD_TRANSITIVE`).
 */
export const whyIncompatible = (schema: AvroSchema, earlier: readonly AvroSchema[]): string | null => {
  for (const { type } of earlier) {
    try {
      schema.type.createResolver(type);
    } catch (error) {
      return messageOf(error);
    }
  }
  return null;
};

import { readHead } from '../../events/block-head.ts';
import { whyUnreadable } from '../../events/check-columns.ts';
import type { SchemaRegistry } from '../../platform/avro/local-registry.ts';
import { splitRecord } from '../../platform/avro/wire-format.ts';
import type { StoredRecord } from '../../platform/event-log/event-log.ts';
import type { PlannedRecord } from './plan-batch.ts';

/** The registry does not know an id. It may only be late: decoding with a guess would be worse than waiting. */
export class SchemaMissingError extends Error {
  readonly code = 'schema_missing';
  constructor(schemaId: number) {
    super(`the schema registry does not know schema ${schemaId}`);
    this.name = 'SchemaMissingError';
  }
}

export type Inspect = (record: StoredRecord) => Promise<PlannedRecord>;

/** Reads the head of a record that the tables can take, or says why it can never be stored. Throws `SchemaMissingError`. */
export const createInspector = (registry: SchemaRegistry): Inspect => {
  const isBlockTransfers = new Map<number, boolean>();

  const knows = async (schemaId: number): Promise<boolean> => {
    const known = isBlockTransfers.get(schemaId);
    if (known !== undefined) return known;
    const schema = await registry.schemaOf(schemaId);
    if (!schema) throw new SchemaMissingError(schemaId);
    isBlockTransfers.set(schemaId, schema.name === 'spoor.BlockTransfers');
    return schema.name === 'spoor.BlockTransfers';
  };

  return async ({ offset, value }) => {
    try {
      const { schemaId, body } = splitRecord(value);
      if (!(await knows(schemaId))) return { offset, refused: `schema ${schemaId} is not BlockTransfers` };
      const head = readHead(body);
      if (!head) return { offset, refused: 'not a BlockTransfers record: its head cannot be read' };
      const refused = whyUnreadable(body);
      return refused === null ? { offset, head } : { offset, refused };
    } catch (error) {
      if (error instanceof SchemaMissingError) throw error;
      return { offset, refused: error instanceof Error ? error.message : String(error) };
    }
  };
};

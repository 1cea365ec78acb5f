import type { SchemaRegistry } from '../platform/avro/local-registry.ts';
import type { AvroSchema } from '../platform/avro/schemas.ts';
import { splitRecord } from '../platform/avro/wire-format.ts';
import { messageOf } from '../platform/message-of.ts';
import { type BlockHead, readHead } from './block-head.ts';
import { type BlockRetracted, type RetractedColumns, toBlockRetracted } from './block-retracted.ts';
import { type LoneTransaction, readLoneTransaction } from './lone-transaction.ts';
import { isNewerSchema, toNewestBody } from './to-newest-body.ts';

/** The registry does not know an id. It may be late, so waiting is better than a guess. */
export class SchemaMissingError extends Error {
  readonly code = 'schema_missing';
  constructor(schemaId: number) {
    super(`the schema registry does not know schema ${schemaId}`);
    this.name = 'SchemaMissingError';
  }
}

/**
 * A record of a block topic. `body` is the encoded Avro body of a part in the newest known schema, or in a newer
 * one if `isNewer`.
 */
export type TransferEvent =
  | { readonly type: 'block'; readonly head: BlockHead; readonly body: Buffer; readonly isNewer: boolean }
  | {
      readonly type: 'transaction';
      readonly transaction: LoneTransaction;
      readonly body: Buffer;
      readonly isNewer: boolean;
    }
  | { readonly type: 'retraction'; readonly retraction: BlockRetracted }
  | Unreadable;

type Unreadable = { readonly type: 'unreadable'; readonly reason: string };

export type EventReader = (value: Buffer) => Promise<TransferEvent>;

const unreadable = (reason: string): Unreadable => ({ type: 'unreadable', reason });

/**
 * Distinguishes the events of `transfers.*` by schema. Throws `SchemaMissingError`, and the registry's error
 * while it is unavailable, which does not concern the record.
 */
export const createEventReader = (registry: SchemaRegistry): EventReader => {
  const known = new Map<number, AvroSchema>();

  const schemaOf = async (schemaId: number): Promise<AvroSchema> => {
    const schema = known.get(schemaId) ?? (await registry.schemaOf(schemaId));
    if (!schema) throw new SchemaMissingError(schemaId);
    known.set(schemaId, schema);
    return schema;
  };

  return async (value) => {
    const parts = unlessItThrows(() => splitRecord(value));
    if ('reason' in parts) return parts;
    const schema = await schemaOf(parts.schemaId);
    return unlessItThrows(() => readBody(schema, parts));
  };
};

const unlessItThrows = <T>(read: () => T): T | Unreadable => {
  try {
    return read();
  } catch (error) {
    return unreadable(messageOf(error));
  }
};

const readBody = (schema: AvroSchema, { schemaId, body }: ReturnType<typeof splitRecord>): TransferEvent => {
  if (schema.name === 'spoor.BlockTransfers') return readBlock(schema, body);
  if (schema.name === 'spoor.TransactionTransfers') return readTransaction(schema, body);
  if (schema.name === 'spoor.BlockRetracted') return readRetraction(schema, body);
  return unreadable(`schema ${schemaId} is of no event of this topic`);
};

const bodyOf = (schema: AvroSchema, body: Buffer) => ({
  body: toNewestBody(schema, body),
  isNewer: isNewerSchema(schema),
});

const readBlock = (schema: AvroSchema, body: Buffer): TransferEvent => {
  const head = readHead(body);
  return head
    ? { type: 'block', head, ...bodyOf(schema, body) }
    : unreadable('not a BlockTransfers record: its head cannot be read');
};

const readTransaction = (schema: AvroSchema, body: Buffer): TransferEvent => {
  const transaction = readLoneTransaction(schema, body);
  return transaction
    ? { type: 'transaction', transaction, ...bodyOf(schema, body) }
    : unreadable('not a TransactionTransfers record: it is not one transaction');
};

const readRetraction = (schema: AvroSchema, body: Buffer): TransferEvent => ({
  type: 'retraction',
  retraction: toBlockRetracted(schema.type.fromBuffer(body) as RetractedColumns),
});

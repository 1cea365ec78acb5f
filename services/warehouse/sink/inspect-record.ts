import { checkColumns } from '../../events/check-columns.ts';
import { sequenceOf } from '../../events/event-sequence.ts';
import { createEventReader, type TransferEvent } from '../../events/read-event.ts';
import type { SchemaRegistry } from '../../platform/avro/local-registry.ts';
import type { StoredRecord } from '../../platform/event-log/event-log.ts';
import type { SequencedRecord } from './insert-block-transfers.ts';
import type { PlannedRecord } from './planned-record.ts';

/**
 * A record, and what the engine receives from it: nothing for one that only retracts, or that can never be
 * stored.
 */
export type InspectedRecord = PlannedRecord & { readonly insert?: SequencedRecord };

export type Inspect = (record: StoredRecord) => Promise<InspectedRecord>;

/** A later version of the program wrote the record. It is valid, and a sink of that version can store it. */
class SchemaNewerError extends Error {
  readonly code = 'schema_newer';
  constructor({ topic, partition, offset }: StoredRecord) {
    super(
      `record ${topic}/${partition}/${offset} has columns that this version of the program does not know: ` +
        'replace the processes that fill the tables (role sink) first',
    );
    this.name = 'SchemaNewerError';
  }
}

const numberOf = (event: Exclude<TransferEvent, { readonly type: 'unreadable' }>): number => {
  if (event.type === 'retraction') return event.retraction.blockNumber;
  return event.type === 'block' ? event.head.blockNumber : event.transaction.blockNumber;
};

/**
 * Reads what the sink needs from a record, or returns why it can never be stored. Throws `SchemaNewerError`,
 * and like `createEventReader`.
 */
export const createInspector = (registry: SchemaRegistry): Inspect => {
  const readEvent = createEventReader(registry);
  return async (record) => {
    const { offset, timeUnixMs } = record;
    const at = { offset, timeUnixMs };
    const event = await readEvent(record.value);
    if (event.type === 'unreadable') return { ...at, refused: event.reason };
    if (numberOf(event) < 0) return { ...at, refused: 'the number of its block is negative' };
    if (event.type === 'retraction') {
      const { offsets, ...abandoned } = event.retraction;
      return offsets.every((one) => one >= 0 && one < offset)
        ? { ...at, retracts: offsets.map((one) => sequenceOf({ ...record, offset: one })), abandoned }
        : { ...at, refused: 'a retraction of events that do not stand before it' };
    }
    if (event.isNewer) throw new SchemaNewerError(record);
    const checked = checkColumns(event.body);
    if (checked.refused !== null) return { ...at, refused: checked.refused };
    const sequence = sequenceOf(record);
    const { body } = event;
    const { bridges, control, keepsControl } = checked;
    const insert = { sequence, avro: body, bridges, control };
    if (event.type === 'transaction') return { ...at, transaction: event.transaction, sequence, insert };
    const lists = (hash: string): boolean => body.includes(hash);
    const known = { movements: checked.movements, keepsControl };
    return { ...at, head: event.head, sequence, ...known, lists, insert };
  };
};

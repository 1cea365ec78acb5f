import { checkColumns } from '../../events/check-columns.ts';
import { sequenceOf } from '../../events/event-sequence.ts';
import { createEventReader } from '../../events/read-event.ts';
import type { SchemaRegistry } from '../../platform/avro/local-registry.ts';
import type { StoredRecord } from '../../platform/event-log/event-log.ts';
import type { SequencedRecord } from './insert-block-transfers.ts';
import type { PlannedRecord } from './plan-batch.ts';

/** A record, and what the engine is given of it; nothing of one that only takes back, or can never be stored. */
export type InspectedRecord = PlannedRecord & { readonly insert?: SequencedRecord };

export type Inspect = (record: StoredRecord) => Promise<InspectedRecord>;

/** Reads what the sink must know of a record, or says why it can never be stored. Throws `SchemaMissingError`. */
export const createInspector = (registry: SchemaRegistry): Inspect => {
  const readEvent = createEventReader(registry);
  return async (record) => {
    const { offset } = record;
    const event = await readEvent(record.value);
    if (event.type === 'unreadable') return { offset, refused: event.reason };
    if (event.type === 'retraction') {
      const { offsets } = event.retraction;
      return offsets.every((at) => at >= 0 && at < offset)
        ? { offset, retracts: offsets.map((at) => sequenceOf({ ...record, offset: at })) }
        : { offset, refused: 'a retraction of events that do not stand before it' };
    }
    const checked = checkColumns(event.body);
    if (checked.refused !== null) return { offset, refused: checked.refused };
    const sequence = sequenceOf(record);
    const insert = { sequence, avro: event.body, bridges: checked.bridges };
    return event.type === 'block'
      ? { offset, head: event.head, sequence, insert }
      : { offset, transaction: event.transaction, sequence, insert };
  };
};

import { sequenceOf } from '../../events/event-sequence.ts';
import { LABEL_TOPIC, type LabelEvents } from '../../events/label-events.ts';
import { deadLetter } from '../../platform/event-log/dead-letter.ts';
import type { EventLog, StoredRecord } from '../../platform/event-log/event-log.ts';
import { holdGroup } from '../../platform/event-log/hold-group.ts';
import { messageOf } from '../../platform/message-of.ts';
import { retryForever } from '../../platform/retry.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { insertLabels, type SequencedLabelEvent } from '../labels/insert-labels.ts';
import { type TouchedAddress, updateServiceWallets } from '../labels/update-service-wallets.ts';

export type LabelSinkOptions = {
  readonly log: EventLog;
  readonly labels: LabelEvents;
  readonly client: WarehouseClient;
  readonly group: string;
  readonly events: {
    stored(batch: { records: number; serviceWallets: number }): void;
    deadLetter(letter: { topic: string; source: string; reason: string }): void;
    /** The tables are out of reach; asked again after `waitMs`. */
    waiting(reason: unknown, waitMs: number): void;
  };
};

// How soon a label is seen, at most; and a bound on what a batch holds in memory.
const POLL_MS = 250;
const BATCH_BYTES_MAX = 2 << 20;

/**
 * Moves label events from the log into the tables. Repeating a batch changes nothing, so a crash anywhere costs only the
 * work. Runs until the signal. Throws `FencedError` when another one took over.
 */
export const runLabelSink = async (options: LabelSinkOptions, signal: AbortSignal): Promise<void> => {
  const { log, client, group, events } = options;
  const consumer = await holdGroup(log, { group, topics: [LABEL_TOPIC], signal });
  if (!consumer) return;
  try {
    while (!signal.aborted) {
      const batch = await consumer.poll({ maxBytes: BATCH_BYTES_MAX, waitMs: POLL_MS });
      const last = batch?.records.at(-1);
      if (!batch || !last) continue;
      const { decoded, refused } = decodeAll(options.labels, batch.records);
      const serviceWallets = await retryForever(
        async () => {
          await insertLabels(client, decoded);
          return updateServiceWallets(client, touchedBy(decoded));
        },
        { signal, onWait: events.waiting },
      );
      for (const letter of refused) {
        await log.append([deadLetter(letter)]);
        events.deadLetter({ topic: LABEL_TOPIC, ...letter });
      }
      // Told before the commit: who sees that nothing is left must also see what it left to do.
      events.stored({ records: batch.records.length, serviceWallets });
      const { topic, partition, offset } = last;
      await consumer.commit({ topic, partition, offset: offset + 1, metadata: '' });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await consumer.close();
  }
};

type Refused = { readonly source: string; readonly reason: string; readonly original: Buffer };

const decodeAll = (labels: LabelEvents, records: readonly StoredRecord[]) => {
  const decoded: SequencedLabelEvent[] = [];
  const refused: Refused[] = [];
  for (const record of records) {
    try {
      decoded.push({ sequence: sequenceOf(record), event: labels.decode(record.value) });
    } catch (error) {
      const { topic, partition, offset, value } = record;
      const reason = messageOf(error);
      refused.push({ source: `${topic}/${partition}/${offset}`, reason, original: value });
    }
  }
  return { decoded, refused };
};

const touchedBy = (events: readonly SequencedLabelEvent[]): TouchedAddress[] => {
  const touched = new Map<string, TouchedAddress>();
  // In order of the log: the last one of an address is its newest.
  for (const { sequence, event } of events) {
    const { chain, address } = event.type === 'LabelAsserted' ? event.label : event.revocation;
    touched.set(`${chain}:${address}`, { chain, address, sequence });
  }
  return [...touched.values()];
};

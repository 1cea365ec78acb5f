import { sequenceOf } from '../../events/event-sequence.ts';
import { LABEL_TOPIC, type LabelEvents } from '../../events/label-events.ts';
import { consumeBatches } from '../../platform/event-log/consume-batches.ts';
import {
  decodeRecords,
  type SentDeadLetter,
  sendToDeadLetters,
} from '../../platform/event-log/dead-letters.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
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
    /** `serviceWallets` changed; null when an attempt failed, which may have changed some. */
    stored(batch: { records: number; serviceWallets: number | null }): void;
    deadLetter(letter: SentDeadLetter): void;
    /** The tables or the log are unavailable; retries after `waitMs`. */
    waiting(reason: unknown, waitMs: number): void;
    /** They answer again. */
    readonly recovered?: (() => void) | undefined;
  };
};

/**
 * Moves label events from the log into the tables. Repeating a batch changes nothing, so a crash costs only
 * the work. Runs until the signal. Throws `FencedError` when another sink took over.
 */
export const runLabelSink = async (options: LabelSinkOptions, signal: AbortSignal): Promise<void> => {
  const { log, labels, client, group, events } = options;
  const waits = { signal, onWait: events.waiting, onRecovered: events.recovered };
  await consumeBatches(log, { group, topics: [LABEL_TOPIC], ...waits }, async (records) => {
    const { decoded, refused } = decodeRecords(records, (record) => ({
      sequence: sequenceOf(record),
      event: labels.decode(record.value),
    }));
    let hasFailed = false;
    const onWait: typeof events.waiting = (reason, waitMs) => {
      hasFailed = true;
      events.waiting(reason, waitMs);
    };
    const changed = await retryForever(
      async () => {
        await insertLabels(client, decoded);
        return updateServiceWallets(client, touchedBy(decoded));
      },
      { ...waits, onWait },
    );
    // The retry finds nothing changed that the failed attempt changed, though its answer was lost.
    const serviceWallets = hasFailed ? null : changed;
    await sendToDeadLetters(log, refused, { ...waits, tell: events.deadLetter });
    // Reported before the commit, so that whoever sees an empty backlog also sees the work it left.
    events.stored({ records: records.length, serviceWallets });
  });
};

const touchedBy = (events: readonly SequencedLabelEvent[]): TouchedAddress[] => {
  const touched = new Map<string, TouchedAddress>();
  // In log order: the last one of an address is its newest.
  for (const { sequence, event } of events) {
    const { chain, address } = event.type === 'LabelAsserted' ? event.label : event.revocation;
    touched.set(`${chain}:${address}`, { chain, address, sequence });
  }
  return [...touched.values()];
};

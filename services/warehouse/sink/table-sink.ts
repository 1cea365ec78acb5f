import { sequenceOf } from '../../events/event-sequence.ts';
import { consumeBatches } from '../../platform/event-log/consume-batches.ts';
import {
  decodeRecords,
  type SentDeadLetter,
  sendToDeadLetters,
} from '../../platform/event-log/dead-letters.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { retryForever } from '../../platform/retry.ts';
import { insertRows } from '../../platform/warehouse-engine/insert-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

export type TableRows = { readonly table: string; readonly values: readonly object[] };

export type TableSinkOptions = {
  readonly log: EventLog;
  readonly client: WarehouseClient;
  readonly group: string;
  readonly topics: readonly string[];
  /** The rows of an event, each with its sequence. Throws if the record is another event or damaged. */
  readonly rowsOf: (record: Buffer, sequence: number) => TableRows;
  /** Resolves when the tables hold what these events speak of. */
  readonly untilReady?: () => Promise<void>;
  readonly events: {
    deadLetter(letter: SentDeadLetter): void;
    /** The tables or the log are unavailable; retries after `waitMs`. */
    waiting(reason: unknown, waitMs: number): void;
    /** They answer again. */
    readonly recovered?: (() => void) | undefined;
  };
};

/**
 * Moves events that are rows as they stand from the log into their tables. Rows carry their event's sequence and the
 * newest counts, so a batch may be repeated. Runs until the signal. Throws `FencedError` when another sink took over.
 */
export const runTableSink = async (options: TableSinkOptions, signal: AbortSignal): Promise<void> => {
  const { log, client, group, topics, rowsOf, untilReady, events } = options;
  const waits = { signal, onWait: events.waiting, onRecovered: events.recovered };
  await consumeBatches(log, { group, topics, ...waits }, async (records) => {
    const { decoded, refused } = decodeRecords(records, (record) => rowsOf(record.value, sequenceOf(record)));
    if (untilReady && decoded.length > 0) await retryForever(untilReady, waits);
    for (const [table, ofTable] of Map.groupBy(decoded, (rows) => rows.table)) {
      const values = ofTable.flatMap((rows) => rows.values);
      await retryForever(() => insertRows(client, table, values), waits);
    }
    await sendToDeadLetters(log, refused, { ...waits, tell: events.deadLetter });
  });
};

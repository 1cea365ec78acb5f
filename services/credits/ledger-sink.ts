import { sequenceOf } from '../events/event-sequence.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { holdGroup } from '../platform/event-log/hold-group.ts';
import { retryForever } from '../platform/retry.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { EVENTS } from './books-view.ts';
import type { LedgerCodec } from './ledger-codec.ts';
import { toLedgerRow } from './ledger-rows.ts';

export type LedgerSinkOptions = {
  readonly log: EventLog;
  readonly codec: LedgerCodec;
  readonly client: WarehouseClient;
  readonly group: string;
  /** The tables are out of reach, or a record cannot be read; tried again after `waitMs`. */
  readonly onWait: (reason: unknown, waitMs: number) => void;
};

// How soon a call is seen in the tables, at most; and a bound on what a batch holds in memory.
const POLL = { maxBytes: 2 << 20, waitMs: 250 };

/**
 * Writes the ledger's events into its table. An event that comes again is the same row, so a crash anywhere costs only
 * the work. Money has no dead letters: a record that cannot be read stops the sink there, and it says so. Runs until the
 * signal. Throws `FencedError` when another one took over.
 */
export const runLedgerSink = async (options: LedgerSinkOptions, signal: AbortSignal): Promise<void> => {
  const { log, codec, client, group, onWait } = options;
  const consumer = await holdGroup(log, { group, topics: [EVENTS], signal });
  if (!consumer) return;
  try {
    while (!signal.aborted) {
      const batch = await consumer.poll(POLL);
      const last = batch?.records.at(-1);
      if (!batch || !last) continue;
      await retryForever(
        () =>
          client.insert({
            table: 'ledger_entries',
            values: batch.records.map((record) =>
              toLedgerRow(codec.decodeEntry(record.value), sequenceOf(record)),
            ),
            format: 'JSONEachRow',
            clickhouse_settings: { async_insert: 0, insert_deduplicate: 0 },
          }),
        { signal, onWait },
      );
      await consumer.commit({ ...last, offset: last.offset + 1, metadata: '' });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await consumer.close();
  }
};

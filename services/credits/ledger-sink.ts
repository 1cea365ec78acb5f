import { sequenceOf } from '../events/event-sequence.ts';
import { consumeBatches } from '../platform/event-log/consume-batches.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { type RetryWaits, retryForever } from '../platform/retry.ts';
import { insertRows } from '../platform/warehouse-engine/insert-rows.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { EVENTS } from './books-view.ts';
import type { LedgerCodec } from './ledger-codec.ts';
import { toLedgerRow } from './ledger-rows.ts';

type LedgerSinkOptions = Omit<RetryWaits, 'signal'> & {
  readonly log: EventLog;
  readonly codec: LedgerCodec;
  readonly client: WarehouseClient;
  readonly group: string;
};

/**
 * Writes ledger events into their table. A repeated event gives the same row, so a crash costs only work. Money
 * has no dead letters: an unreadable record stops the sink there and is reported by `onWait`. Runs until the
 * signal. Throws `FencedError` when another process took over.
 */
export const runLedgerSink = async (options: LedgerSinkOptions, signal: AbortSignal): Promise<void> => {
  const { log, codec, client, group, onWait, onRecovered } = options;
  const waits = { signal, onWait, onRecovered };
  await consumeBatches(log, { group, topics: [EVENTS], ...waits }, (records) =>
    retryForever(() => {
      const rows = records.map((r) => toLedgerRow(codec.decodeEntry(r.value), sequenceOf(r)));
      return insertRows(client, 'ledger_entries', rows);
    }, waits),
  );
};

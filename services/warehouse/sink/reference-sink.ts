import { sequenceOf } from '../../events/event-sequence.ts';
import {
  REFERENCE_TOPICS,
  type ReferenceEvent,
  type ReferenceEvents,
} from '../../events/reference-events.ts';
import { type BuriedRecord, buryRecords } from '../../platform/event-log/bury-records.ts';
import { consumeBatches } from '../../platform/event-log/consume-batches.ts';
import { decodeRecords } from '../../platform/event-log/decode-records.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { retryForever } from '../../platform/retry.ts';
import { insertRows } from '../../platform/warehouse-engine/insert-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

export type ReferenceSinkOptions = {
  readonly log: EventLog;
  readonly references: Pick<ReferenceEvents, 'decode'>;
  readonly client: WarehouseClient;
  readonly group: string;
  readonly events: {
    deadLetter(letter: BuriedRecord): void;
    /** The tables are out of reach; asked again after `waitMs`. */
    waiting(reason: unknown, waitMs: number): void;
  };
};

/**
 * Moves what is known of assets from elsewhere, and their prices, from the log into the tables. Rows carry their event's
 * sequence and the newest counts, so a batch may be repeated. Runs until the signal. Throws `FencedError` when another
 * one took over.
 */
export const runReferenceSink = async (options: ReferenceSinkOptions, signal: AbortSignal): Promise<void> => {
  const { log, references, client, group, events } = options;
  await consumeBatches(log, { group, topics: REFERENCE_TOPICS, signal }, async (records) => {
    const { decoded, refused } = decodeRecords(records, (record) =>
      rowsOf(references.decode(record.value), sequenceOf(record)),
    );
    for (const [table, ofTable] of Map.groupBy(decoded, (rows) => rows.table)) {
      const values = ofTable.flatMap((rows) => rows.values);
      await retryForever(() => insertRows(client, table, values), { signal, onWait: events.waiting });
    }
    await buryRecords(log, refused, events.deadLetter);
  });
};

type TableRows = { readonly table: string; readonly values: readonly object[] };

const rowsOf = (event: ReferenceEvent, sequence: number): TableRows => {
  if (event.type === 'AssetDescribed') {
    const { chain, asset, symbol, decimals } = event.description;
    const row = { chain, asset, symbol: symbol ?? '', decimals: decimals ?? -1, sequence };
    return { table: 'asset_claims', values: [row] };
  }
  const { time, usd, ...same } = event.prices;
  const values = time.map((at, position) => ({
    ...same,
    time: at,
    day: new Date(at * 1_000).toISOString().slice(0, 10),
    usd: usd[position],
    sequence,
  }));
  return { table: 'imported_prices', values };
};

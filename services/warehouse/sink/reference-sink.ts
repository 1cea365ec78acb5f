import { sequenceOf } from '../../events/event-sequence.ts';
import {
  REFERENCE_TOPICS,
  type ReferenceEvent,
  type ReferenceEvents,
} from '../../events/reference-events.ts';
import { deadLetter } from '../../platform/event-log/dead-letter.ts';
import type { EventLog, StoredRecord } from '../../platform/event-log/event-log.ts';
import { holdGroup } from '../../platform/event-log/hold-group.ts';
import { messageOf } from '../../platform/message-of.ts';
import { retryForever } from '../../platform/retry.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

export type ReferenceSinkOptions = {
  readonly log: EventLog;
  readonly references: Pick<ReferenceEvents, 'decode'>;
  readonly client: WarehouseClient;
  readonly group: string;
  readonly events: {
    deadLetter(letter: { topic: string; source: string; reason: string }): void;
    /** The tables are out of reach; asked again after `waitMs`. */
    waiting(reason: unknown, waitMs: number): void;
  };
};

const POLL_MS = 250;
const BATCH_BYTES_MAX = 2 << 20;

/**
 * Moves what is known of assets from elsewhere, and their prices, from the log into the tables. Rows carry their event's
 * sequence and the newest counts, so a batch may be repeated. Runs until the signal. Throws `FencedError` when another
 * one took over.
 */
export const runReferenceSink = async (options: ReferenceSinkOptions, signal: AbortSignal): Promise<void> => {
  const { log, client, group, events } = options;
  const consumer = await holdGroup(log, { group, topics: REFERENCE_TOPICS, signal });
  if (!consumer) return;
  try {
    while (!signal.aborted) {
      const batch = await consumer.poll({ maxBytes: BATCH_BYTES_MAX, waitMs: POLL_MS });
      const last = batch?.records.at(-1);
      if (!batch || !last) continue;
      const { rows, refused } = toRows(options.references, batch.records);
      for (const [table, values] of rows)
        await retryForever(() => insert(client, table, values), { signal, onWait: events.waiting });
      for (const letter of refused) {
        await log.append([deadLetter(letter)]);
        events.deadLetter({ topic: last.topic, source: letter.source, reason: letter.reason });
      }
      const { topic, partition, offset } = last;
      await consumer.commit({ topic, partition, offset: offset + 1, metadata: '' });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await consumer.close();
  }
};

type TableRows = { readonly table: string; readonly values: object[] };
type Refused = { readonly source: string; readonly reason: string; readonly original: Buffer };

const toRows = ({ decode }: Pick<ReferenceEvents, 'decode'>, records: readonly StoredRecord[]) => {
  const rows = new Map<string, object[]>();
  const refused: Refused[] = [];
  for (const record of records) {
    try {
      const { table, values } = rowsOf(decode(record.value), sequenceOf(record));
      const all = rows.get(table) ?? [];
      for (const value of values) all.push(value);
      rows.set(table, all);
    } catch (error) {
      const { topic, partition, offset, value } = record;
      const reason = messageOf(error);
      refused.push({ source: `${topic}/${partition}/${offset}`, reason, original: value });
    }
  }
  return { rows, refused };
};

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

const insert = async (client: WarehouseClient, table: string, values: readonly object[]): Promise<void> => {
  await client.insert({
    table,
    values,
    format: 'JSONEachRow',
    clickhouse_settings: { async_insert: 0, insert_deduplicate: 0 },
  });
};

import { sequenceOf } from '../../events/event-sequence.ts';
import {
  type PricesImported,
  REFERENCE_TOPICS,
  type ReferenceEvent,
  type ReferenceEvents,
} from '../../events/reference-events.ts';
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

export type ReferenceSinkOptions = {
  readonly log: EventLog;
  readonly references: Pick<ReferenceEvents, 'decode'>;
  readonly client: WarehouseClient;
  readonly group: string;
  readonly events: {
    deadLetter(letter: SentDeadLetter): void;
    /** The tables or the log are unavailable; retries after `waitMs`. */
    waiting(reason: unknown, waitMs: number): void;
    /** They answer again. */
    readonly recovered?: (() => void) | undefined;
  };
};

/**
 * Moves described assets and imported prices from the log into the tables. Rows carry their event's sequence
 * and the newest counts, so a batch may be repeated. Runs until the signal. Throws `FencedError` when another
 * sink took over.
 */
export const runReferenceSink = async (options: ReferenceSinkOptions, signal: AbortSignal): Promise<void> => {
  const { log, references, client, group, events } = options;
  const waits = { signal, onWait: events.waiting, onRecovered: events.recovered };
  await consumeBatches(log, { group, topics: REFERENCE_TOPICS, ...waits }, async (records) => {
    const { decoded, refused } = decodeRecords(records, (record) =>
      rowsOf(references.decode(record.value), sequenceOf(record)),
    );
    for (const [table, ofTable] of Map.groupBy(decoded, (rows) => rows.table)) {
      const values = ofTable.flatMap((rows) => rows.values);
      await retryForever(() => insertRows(client, table, values), waits);
    }
    await sendToDeadLetters(log, refused, { ...waits, tell: events.deadLetter });
  });
};

type TableRows = { readonly table: string; readonly values: readonly object[] };

const rowsOf = (event: ReferenceEvent, sequence: number): TableRows => {
  if (event.type === 'AssetDescribed') {
    const { chain, asset, symbol, decimals } = event.description;
    const row = { chain, asset, symbol: symbol ?? '', decimals: decimals ?? -1, sequence };
    return { table: 'asset_claims', values: [row] };
  }
  if (event.type === 'PricesImported') {
    const { usd, ...prices } = event.prices;
    return priceRows(prices, (at) => ({ usd: usd[at], sequence, withdrawn: 0 }));
  }
  return priceRows(event.withdrawal, () => ({ usd: 0, sequence, withdrawn: 1 }));
};

type Prices = Omit<PricesImported, 'usd'>;

const priceRows = ({ chain, asset, source, time }: Prices, said: (at: number) => object): TableRows => ({
  table: 'imported_prices',
  values: time.map((seconds, index) => {
    const day = new Date(seconds * 1_000).toISOString().slice(0, 10);
    return { chain, asset, source, time: seconds, day, ...said(index) };
  }),
});

import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { NEW_EVENTS } from './settled.ts';

/** Bound parameters of every statement of a run: what `SETTLED_ROWS` and `NEW_EVENTS` name. */
export type RangeParams = Readonly<
  Record<'chains' | 'heights' | 'lanes' | 'begins' | 'ends', readonly unknown[]>
>;

export type DerivationRun = {
  readonly client: WarehouseClient;
  readonly params: RangeParams;
  readonly signal: AbortSignal;
  /** All events are new to it: there is nothing that a short cut over new rows would save. */
  readonly isFirst: boolean;
  /** About how many movements a statement of `deriveInSlices` may be about. */
  readonly sliceRows: number;
};

/**
 * Facts of one kind, made from the tables. A run must leave the same rows as one run from the beginning would, whatever
 * the runs before it were and wherever they were cut off: it either merges what only ever grows (the earliest of two),
 * or makes again, from all settled rows, whatever the new events touch.
 */
export type Derivation = {
  readonly name: string;
  /** Everything that decides what follows from what, its statements and the lists that ship; a change makes it begin again. */
  readonly rules: readonly unknown[];
  /** Emptied before it begins again: what it merges there would keep what does not follow any more. */
  readonly tables: readonly string[];
  /** Hash of what else it rests on beside the events; a change makes it begin again. */
  readonly inputs?: (client: WarehouseClient) => Promise<string>;
  readonly run: (run: DerivationRun) => Promise<void>;
};

const SETTINGS = {
  // The other core serves questions meanwhile.
  priority: '1',
  max_bytes_before_external_group_by: String(1 << 30),
  max_bytes_before_external_sort: String(1 << 30),
  // Prices lie by month: of more than a hundred at once the engine takes none.
  max_partitions_per_insert_block: '0',
} as const;

const ALL_OF_THEM = { slices: 1, slice: 0 };

/** One statement of a derivation, with the bounds that all of them keep. */
export const derive = async (
  { client, params, signal }: DerivationRun,
  query: string,
  own: Readonly<Record<string, unknown>> = {},
): Promise<void> => {
  await client.command({
    query,
    query_params: { ...params, ...ALL_OF_THEM, ...own },
    clickhouse_settings: SETTINGS,
    abort_signal: signal,
  });
};

/** One question of a derivation, with the same bounds: its rows. */
export const askForRows = <Row extends readonly unknown[]>(
  { client, params, signal }: DerivationRun,
  query: string,
  own: Readonly<Record<string, unknown>> = {},
): Promise<Row[]> =>
  askRows(
    client,
    query,
    { ...params, ...ALL_OF_THEM, ...own },
    { clickhouse_settings: SETTINGS, abort_signal: signal },
  );

/** Which part of the new events a statement is about. */
export type Slice = { readonly slices: number; readonly slice: number };

/**
 * The same for a statement that reads all new events and merges the results. A long history is read in several
 * slices: the engine ends a statement that takes too long or too much memory, and it would be tried again without
 * end.
 */
export const deriveInSlices = (
  run: DerivationRun,
  query: string,
  own: Readonly<Record<string, unknown>> = {},
): Promise<void> => inSlices(run, (slice) => derive(run, query, { ...own, ...slice }));

/** Something for each slice of the new events; a block without movements may stand where one with some stood. */
export const inSlices = async (
  run: DerivationRun,
  action: (slice: Slice) => Promise<void>,
): Promise<void> => {
  const count = `
SELECT if(count() = 0, 0, greatest(1, toUInt32(ceil(sum(movements) / {rows:UInt64})))) FROM blocks WHERE ${NEW_EVENTS}`;
  const slices = Number(await askOne(run.client, count, { ...run.params, rows: run.sliceRows }));
  for (let slice = 0; slice < slices; slice += 1) {
    run.signal.throwIfAborted();
    await action({ slices, slice });
  }
};

/** The same into a table that belongs to one run: what was in it before is gone. */
export const refill = async (
  run: DerivationRun,
  table: string,
  query: string,
  own: Readonly<Record<string, unknown>> = {},
): Promise<void> => {
  await truncate(run.client, table);
  await derive(run, query, own);
};

/** The one number that a query gives. */
export const askOne = async (
  client: WarehouseClient,
  query: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const [row] = await askRows<[string | number]>(client, query, params);
  return String(row?.[0] ?? 0);
};

export const truncate = async (client: WarehouseClient, table: string): Promise<void> => {
  await client.command({ query: 'TRUNCATE TABLE {table:Identifier}', query_params: { table } });
};

import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { NEW_EVENTS } from './settled.ts';

/** Bound parameters of every statement of a run, which `SETTLED_ROWS` and `NEW_EVENTS` use. */
export type RangeParams = Readonly<
  Record<'chains' | 'heights' | 'lanes' | 'begins' | 'ends', readonly unknown[]>
>;

/** How much is new to a run. */
export type NewEvents = { readonly blocks: number; readonly movements: number };

export type DerivationRun = {
  readonly client: WarehouseClient;
  readonly params: RangeParams;
  readonly signal: AbortSignal;
  /** Whether all events are new, so that a short cut over new rows would save nothing. */
  readonly isFirst: boolean;
  readonly newEvents: NewEvents;
  /** Approximate maximum of movements for one statement of `deriveInSlices`. */
  readonly sliceRows: number;
};

/**
 * Facts of one kind, derived from the tables. A run must leave the same rows as a single run from the
 * beginning, whatever runs came before and wherever they were interrupted. So it either merges facts that
 * only grow (the earliest of two), or recomputes everything that the new events touch from all settled rows.
 */
export type Derivation = {
  readonly name: string;
  /** A hash of its statements and of the shipped lists. A change makes it start over. */
  readonly rules: readonly unknown[];
  /** Truncated before it starts over, because merging would keep facts that no longer follow. */
  readonly tables: readonly string[];
  /** A hash of its inputs other than events. A change makes it start over. */
  readonly inputs?: (client: WarehouseClient) => Promise<string>;
  readonly run: (run: DerivationRun) => Promise<void>;
};

const SETTINGS = {
  // The other core answers queries meanwhile.
  priority: '1',
  max_bytes_before_external_group_by: String(1 << 30),
  max_bytes_before_external_sort: String(1 << 30),
  // Prices are partitioned by month, and the engine accepts at most a hundred partitions in one insert.
  max_partitions_per_insert_block: '0',
} as const;

const ALL_OF_THEM = { slices: 1, slice: 0 };

/** One statement of a derivation, with the limits that all of them have. */
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

/** One query of a derivation, with the same limits; returns its rows. */
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

/** The part of the new events that a statement processes. */
export type Slice = { readonly slices: number; readonly slice: number };

/**
 * The same for a statement that reads all new events and merges the results. A long history is processed in
 * several slices. Otherwise the engine would cancel a statement that needs too much time or memory, and it
 * would be retried for ever.
 */
export const deriveInSlices = (
  run: DerivationRun,
  query: string,
  own: Readonly<Record<string, unknown>> = {},
): Promise<void> => inSlices(run, (slice) => derive(run, query, { ...own, ...slice }));

export const countNewEvents = async (client: WarehouseClient, params: RangeParams): Promise<NewEvents> => {
  const query = `SELECT count(), toString(sum(movements)) FROM blocks WHERE ${NEW_EVENTS}`;
  const [row] = await askRows<[string, string]>(client, query, params);
  return { blocks: Number(row?.[0]), movements: Number(row?.[1]) };
};

/** Includes at least one slice for blocks without movements, because they may replace blocks with some. */
export const inSlices = async (
  run: DerivationRun,
  action: (slice: Slice) => Promise<void>,
): Promise<void> => {
  const { blocks, movements } = run.newEvents;
  const slices = blocks === 0 ? 0 : Math.max(1, Math.ceil(movements / run.sliceRows));
  for (let slice = 0; slice < slices; slice += 1) {
    run.signal.throwIfAborted();
    await action({ slices, slice });
  }
};

/** The same into a table of this run, which is truncated first. */
export const refill = async (
  run: DerivationRun,
  table: string,
  query: string,
  own: Readonly<Record<string, unknown>> = {},
): Promise<void> => {
  await truncate(run.client, table);
  await derive(run, query, own);
};

/** The single number that a query returns. */
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

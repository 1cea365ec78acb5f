import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import { insertRows } from '../../platform/warehouse-engine/insert-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { DELETED_AT_MOST } from '../sink/delete-retracted.ts';
import { VISIBLE_ROWS } from '../sql-clauses.ts';

/** A wallet that joined a service or left it, and whose entries do not show it yet. */
type PendingWallet = {
  readonly chain: string;
  readonly address: string;
  readonly entity: string;
  readonly kind: string;
  readonly removed: number;
  readonly sequence: string;
};

export type CopyOptions = {
  readonly client: WarehouseClient;
  /** Resolves when every event that was in the log at the call has reached the tables. */
  readonly untilStored: () => Promise<void>;
};

const WALLETS_MAX = 1_000;
/** Approximate maximum of rows in one insert, so that it does not delay arriving blocks. */
const ROWS_MAX = 1_000_000;
const STATEMENT_SECONDS_MAX = 600;

const PENDING = `
SELECT chain, address, entity, argMax(kind, w.sequence) AS kind, argMax(w.removed, w.sequence) AS removed,
  max(w.sequence) AS sequence
FROM service_wallets AS w
GROUP BY chain, address, entity
HAVING argMax(w.copied, (w.sequence, w.copied)) = 0
ORDER BY chain, entity, address
LIMIT {limit:UInt32}`;

// Also counts such an address on another of the chains: one statement for all services.
const COUNT = `
SELECT chain, address, count() FROM account_entries
WHERE chain IN {chains:Array(String)} AND address IN {addresses:Array(String)}
GROUP BY chain, address`;

const COPY = `
INSERT INTO service_entries
SELECT chain, {entity:String} AS entity, direction, asset_family, amount, block_time, block_number, tx_index, index,
  address, counterparty, kind, is_sender, sequence
FROM account_entries
WHERE chain = {chain:String} AND address IN {addresses:Array(String)} AND ${VISIBLE_ROWS}
  AND cityHash64(block_number) % {slices:UInt32} = {slice:UInt32}`;

const DELETE = `
DELETE FROM service_entries
WHERE chain = {chain:String} AND entity = {entity:String} AND address IN {addresses:Array(String)}`;

/** Rows that a clean-up deleted while an older copy was running, which inserted them again. */
const BROUGHT_BACK = `
SELECT chain, entity, groupArray(DISTINCT sequence) FROM service_entries
WHERE chain IN {chains:Array(String)} AND entity IN {entities:Array(String)} AND address IN {addresses:Array(String)}
  AND sequence IN (SELECT event FROM deleted_events)
GROUP BY chain, entity`;

/**
 * Copies the entries of wallets that joined a service and deletes those of wallets that left one, a limited
 * number at a time. Returns whether there was anything to do. May be interrupted and run again.
 */
export const copyServiceEntries = async ({ client, untilStored }: CopyOptions): Promise<boolean> => {
  const answer = await client.query({
    query: PENDING,
    query_params: { limit: WALLETS_MAX },
    format: 'JSONEachRow',
  });
  const pending = await answer.json<PendingWallet>();
  if (pending.length === 0) return false;
  await untilStored();
  const groups = [...Map.groupBy(pending, (w) => `${w.chain} ${w.removed} ${w.entity}`).values()];
  const [left, joined] = [groups.filter(([wallet]) => wallet?.removed), groups.filter(([w]) => !w?.removed)];
  for (const wallets of left) await deleteEntries(client, wallets);
  const rows = await countEntries(client, joined.flat());
  for (const wallets of joined) await copyEntries(client, wallets, rows);
  await deleteBroughtBack(client, joined);
  // The same version as before: among equal ones the last inserted counts.
  const copied = pending.map((wallet) => ({ ...wallet, copied: 1 }));
  await insertRows(client, 'service_wallets', copied);
  return true;
};

const paramsOf = (wallets: readonly PendingWallet[]) => ({
  chain: wallets[0]?.chain ?? '',
  entity: wallets[0]?.entity ?? '',
  addresses: wallets.map((w) => w.address),
});

const deleteEntries = async (client: WarehouseClient, wallets: readonly PendingWallet[]): Promise<void> => {
  await client.command({
    query: DELETE,
    query_params: paramsOf(wallets),
    clickhouse_settings: { lightweight_deletes_sync: '2', max_execution_time: STATEMENT_SECONDS_MAX },
  });
};

const keyOf = (chain: string, name: string): string => `${chain} ${name}`;

/** How many entries each of these wallets has; those without any are missing. */
const countEntries = async (
  client: WarehouseClient,
  wallets: readonly PendingWallet[],
): Promise<ReadonlyMap<string, number>> => {
  if (wallets.length === 0) return new Map();
  const counts = await askRows<[chain: string, address: string, rows: string]>(client, COUNT, allOf(wallets));
  return new Map(counts.map(([chain, address, rows]) => [keyOf(chain, address), Number(rows)]));
};

/** Query parameters for wallets of several services and chains. */
const allOf = (wallets: readonly PendingWallet[]) => ({
  chains: [...new Set(wallets.map((w) => w.chain))],
  entities: [...new Set(wallets.map((w) => w.entity))],
  addresses: [...new Set(wallets.map((w) => w.address))],
});

const copyEntries = async (
  client: WarehouseClient,
  wallets: readonly PendingWallet[],
  rowsOf: ReadonlyMap<string, number>,
): Promise<void> => {
  const rows = wallets.reduce((sum, { chain, address }) => sum + (rowsOf.get(keyOf(chain, address)) ?? 0), 0);
  const slices = Math.ceil(rows / ROWS_MAX);
  for (let slice = 0; slice < slices; slice += 1) {
    await client.command({
      query: COPY,
      query_params: { ...paramsOf(wallets), slices, slice },
      clickhouse_settings: {
        max_execution_time: STATEMENT_SECONDS_MAX,
        max_insert_threads: '1',
        // The same rows may have been copied and deleted before, so the engine must not treat them as
        // duplicates.
        insert_deduplicate: 0,
      },
    });
  }
};

const deleteBroughtBack = async (
  client: WarehouseClient,
  services: readonly (readonly PendingWallet[])[],
): Promise<void> => {
  if (services.length === 0) return;
  const found = await askRows<[chain: string, entity: string, sequences: string[]]>(
    client,
    BROUGHT_BACK,
    allOf(services.flat()),
    { clickhouse_settings: { max_execution_time: STATEMENT_SECONDS_MAX } },
  );
  const back = new Map(found.map(([chain, entity, sequences]) => [keyOf(chain, entity), sequences]));
  for (const wallets of services) {
    const query_params = paramsOf(wallets);
    const sequences = back.get(keyOf(query_params.chain, query_params.entity)) ?? [];
    for (let start = 0; start < sequences.length; start += DELETED_AT_MOST) {
      await client.command({
        query: `${DELETE} AND sequence IN (${sequences.slice(start, start + DELETED_AT_MOST).join()})`,
        query_params,
        clickhouse_settings: { lightweight_deletes_sync: '2', max_execution_time: STATEMENT_SECONDS_MAX },
      });
    }
  }
};

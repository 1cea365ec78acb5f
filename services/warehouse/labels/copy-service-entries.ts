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

const COUNT = `
SELECT count() FROM account_entries
WHERE chain = {chain:String} AND address IN {addresses:Array(String)}`;

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
SELECT groupArray(DISTINCT sequence) FROM service_entries
WHERE chain = {chain:String} AND entity = {entity:String} AND address IN {addresses:Array(String)}
  AND sequence IN (SELECT event FROM deleted_events)`;

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
  for (const wallets of Map.groupBy(pending, (w) => `${w.chain} ${w.removed} ${w.entity}`).values()) {
    await (wallets[0]?.removed ? deleteEntries(client, wallets) : copyEntries(client, wallets));
  }
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

const copyEntries = async (client: WarehouseClient, wallets: readonly PendingWallet[]): Promise<void> => {
  const params = paramsOf(wallets);
  const [[rows] = ['0']] = await askRows<[string]>(client, COUNT, params);
  const slices = Math.ceil(Number(rows) / ROWS_MAX);
  for (let slice = 0; slice < slices; slice += 1) {
    await client.command({
      query: COPY,
      query_params: { ...params, slices, slice },
      clickhouse_settings: {
        max_execution_time: STATEMENT_SECONDS_MAX,
        max_insert_threads: '1',
        // The same rows may have been copied and deleted before, so the engine must not treat them as
        // duplicates.
        insert_deduplicate: 0,
      },
    });
  }
  await deleteBroughtBack(client, params);
};

const deleteBroughtBack = async (
  client: WarehouseClient,
  query_params: ReturnType<typeof paramsOf>,
): Promise<void> => {
  const [[sequences] = [[]]] = await askRows<[string[]]>(client, BROUGHT_BACK, query_params, {
    clickhouse_settings: { max_execution_time: STATEMENT_SECONDS_MAX },
  });
  for (let start = 0; start < sequences.length; start += DELETED_AT_MOST) {
    await client.command({
      query: `${DELETE} AND sequence IN (${sequences.slice(start, start + DELETED_AT_MOST).join()})`,
      query_params,
      clickhouse_settings: { lightweight_deletes_sync: '2', max_execution_time: STATEMENT_SECONDS_MAX },
    });
  }
};

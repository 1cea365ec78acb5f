import type { Warehouse } from '../../services/platform/warehouse-engine/warehouse.ts';
import { migrate } from '../../services/warehouse/migrate/migrate.ts';
import { BATCH_SETTINGS } from '../../services/warehouse/sink/insert-block-transfers.ts';

// What a full batch of the sink holds; the engine's own insert gets its rows in pieces of the same size.
const ROWS_A_PIECE = 200_000;
const COLUMNS = `chain, block_number, block_time, tx_index, index, tx_hash, sender, kind, from_address, to_address, asset,
asset_family, amount, authority, sequence`;
/** Tables that the sink's insert fills beside those behind `movements_in`. */
const OTHERS = ['blocks', 'transactions', 'swaps', 'assets'];

export type EngineFanout = {
  /** Rows of `transfers` that it inserts. */
  readonly rows: number;
  run(): Promise<void>;
};

/**
 * Copies the tables of a warehouse into the engine's memory and gives back the insert of all of it into the same tables
 * of a fresh database, by the engine alone, one piece after the other, on as many threads as an insert of the sink has. It stops
 * the engine's merges, of both sides and for good, since those of what the sink left would run beside the other side.
 */
export const prepareEngineFanout = async ({ writer }: Pick<Warehouse, 'writer'>): Promise<EngineFanout> => {
  const run = (query: string) => writer.command({ query, clickhouse_settings: BATCH_SETTINGS });
  await migrate({ writer, database: 'spoor_fanout' });
  await run('CREATE TABLE spoor_fanout.m ENGINE = Memory EMPTY AS SELECT * FROM transfers');
  await run('INSERT INTO spoor_fanout.m SELECT * FROM transfers');
  for (const table of OTHERS) {
    await run(`CREATE TABLE spoor_fanout.m_${table} ENGINE = Memory EMPTY AS SELECT * FROM ${table}`);
    await run(`INSERT INTO spoor_fanout.m_${table} SELECT * FROM ${table}`);
  }
  const counted = await writer.query({
    query: 'SELECT count() FROM spoor_fanout.m',
    format: 'JSONCompactEachRow',
  });
  const [[count] = ['0']] = await counted.json<[string]>();
  const rows = Number(count);
  await run('SYSTEM STOP MERGES');
  const insertAll = async (): Promise<void> => {
    for (let from = 0; from < rows; from += ROWS_A_PIECE) {
      const piece = `SELECT ${COLUMNS} FROM spoor_fanout.m LIMIT ${ROWS_A_PIECE} OFFSET ${from}`;
      await run(`INSERT INTO spoor_fanout.movements_in (${COLUMNS}) ${piece}`);
    }
    for (const table of OTHERS)
      await run(`INSERT INTO spoor_fanout.${table} SELECT * FROM spoor_fanout.m_${table}`);
  };
  return { rows, run: insertAll };
};

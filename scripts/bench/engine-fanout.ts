import type { Warehouse } from '../../services/platform/warehouse-engine/warehouse.ts';
import { migrate } from '../../services/warehouse/migrate/migrate.ts';
import { BATCH_SETTINGS } from '../../services/warehouse/sink/insert-block-transfers.ts';

// A full batch of the sink; the engine's own insert uses the same size.
const ROWS_A_PIECE = 200_000;
const COLUMNS = `chain, block_number, block_time, tx_index, index, tx_hash, sender, kind, from_address, to_address, asset,
asset_family, amount, authority, sequence`;
/** Tables that the sink's insert fills besides those behind `movements_in`. */
const OTHERS = ['blocks', 'transactions', 'swaps', 'assets'];

export type EngineFanout = {
  /** Rows inserted into `transfers`. */
  readonly rows: number;
  run(): Promise<void>;
};

/**
 * Copies a warehouse's tables into the engine's memory and returns an insert of everything into the same tables of
 * a new database by the engine alone, piece by piece, with the threads of a sink's insert. It stops the engine's
 * merges for good, because merges of one side would run during the other.
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

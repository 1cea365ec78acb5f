import { askRows } from '../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { OWN_DATABASES } from './sql-clauses.ts';

export type TableSize = {
  readonly table: string;
  readonly parts: number;
  readonly rows: number;
  readonly bytes: number;
};

const QUERY = `
SELECT table, count(), sum(rows), sum(bytes_on_disk)
FROM system.parts WHERE ${OWN_DATABASES} AND active GROUP BY table ORDER BY table`;

type Row = readonly [table: string, parts: string, rows: string, bytes: string];

/** Rows and bytes of each table's active parts on this server. Each part costs a query half a millisecond. */
export const readTableSizes = async (client: WarehouseClient): Promise<readonly TableSize[]> =>
  (await askRows<Row>(client, QUERY)).map(([table, parts, rows, bytes]) => ({
    table,
    parts: Number(parts),
    rows: Number(rows),
    bytes: Number(bytes),
  }));

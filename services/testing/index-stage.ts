import { beforeAll } from 'vitest';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { insertBlockTransfers } from '../warehouse/sink/insert-block-transfers.ts';
import { beforeQueries } from './before-queries.ts';
import { buildRecords } from './build-records.ts';
import { TableStage } from './table-stage.ts';

/** What the primary key leaves of a table that a plan reads. */
export type Share = { readonly read: number; readonly all: number };

/** Tables large enough for a scan to be seen, and what the engine plans to read of them. */
export class IndexStage extends TableStage {
  #busy: Promise<string> | null = null;

  constructor() {
    super();
    beforeAll(async () => {
      const records = buildRecords({ firstBlock: 1, blocks: 200, movementsPerBlock: 1_000 });
      await insertBlockTransfers(this.warehouse, { records, token: 'all' });
    });
  }

  /** A client that has every query explained before it asks it. */
  explaining(): { readonly client: WarehouseClient; readonly plans: string[] } {
    const plans: string[] = [];
    const { writer } = this.warehouse;
    const client = beforeQueries(writer, async (request) => {
      const query = `EXPLAIN indexes = 1 ${request.query}`;
      const answer = await writer.query({ ...request, query, format: 'TabSeparatedRaw' });
      plans.push(await answer.text());
    });
    return { client, plans };
  }

  busyWallet(): Promise<string> {
    this.#busy ??= this.#findBusy();
    return this.#busy;
  }

  async #findBusy(): Promise<string> {
    const [row] = await this.ask(
      'SELECT address FROM account_entries WHERE direction = 1 GROUP BY address ORDER BY count() DESC LIMIT 1 OFFSET 200',
    );
    return String(row?.[0]);
  }
}

/** Of each table that a plan reads. */
export const granules = (plan: string): Share[] =>
  plan
    .split('──ReadFromMergeTree (')
    .slice(1)
    .map((reading) => {
      const primary = reading.slice(reading.indexOf('PrimaryKey'));
      const [, read, all] = /Granules: (\d+)\/(\d+)/.exec(primary) ?? [];
      return { read: Number(read), all: Number(all) };
    });

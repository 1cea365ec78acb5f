import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { checkColumns } from '../events/check-columns.ts';
import { SEQUENCE_SLOTS } from '../events/event-sequence.ts';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { loadSchema } from '../platform/avro/schemas.ts';
import {
  type EmbeddedWarehouse,
  startEmbeddedWarehouse,
} from '../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { DATABASE } from '../roles/store/database.ts';
import { migrate } from '../warehouse/migrate/migrate.ts';
import { insertBlockTransfers } from '../warehouse/sink/insert-block-transfers.ts';
import { blockParts } from './block-parts.ts';
import { emptyTables } from './empty-tables.ts';

const { type } = loadSchema('BlockTransfers');

/** The real tables for the tests of one file, on an engine of their own. Made before hooks that use it. */
export class TableStage {
  #warehouse: EmbeddedWarehouse | null = null;
  #next = 0;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'spoor-tables-'));
    beforeAll(async () => {
      this.#warehouse = await startEmbeddedWarehouse({ folder, database: DATABASE });
      await migrate(this.#warehouse);
    });
    afterAll(async () => {
      await this.#warehouse?.close();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  get warehouse(): EmbeddedWarehouse {
    if (!this.#warehouse) throw new Error('the engine is started before the tests');
    return this.#warehouse;
  }

  /** Of the next event of one partition. */
  get nextSequence(): number {
    return this.#next * SEQUENCE_SLOTS;
  }

  takeSequence(): number {
    const sequence = this.nextSequence;
    this.#next += 1;
    return sequence;
  }

  async ask(query: string): Promise<unknown[][]> {
    const answer = await this.warehouse.writer.query({ query, format: 'JSONCompactEachRow' });
    return answer.json<unknown[]>();
  }

  /** Empties the tables whose comment is like this, but for what migrations wrote into them. */
  empty(comment?: string): Promise<void> {
    return emptyTables(this.warehouse.writer, { database: DATABASE, ...(comment && { comment }) });
  }

  /** As events of one partition, in one batch; or what they hold as transactions without their block. */
  async insert(blocks: readonly DecodedBlock[], { whole = true } = {}): Promise<void> {
    const records = blocks
      .flatMap((block) => blockParts(block))
      .map((part) => {
        const avro = type.toBuffer(whole ? part : { ...part, parts: 0 });
        return { sequence: this.takeSequence(), avro, ...checkColumns(avro) };
      });
    await insertBlockTransfers(this.warehouse, { records, token: `batch-${this.#next}` });
  }
}

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { checkColumns } from '../events/check-columns.ts';
import { SEQUENCE_SLOTS } from '../events/event-sequence.ts';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { loadSchema } from '../platform/avro/schemas.ts';
import type { EmbeddedWarehouse } from '../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { DATABASE } from '../roles/store/database.ts';
import { insertBlockTransfers } from '../warehouse/sink/insert-block-transfers.ts';
import { blockParts } from './block-parts.ts';
import { emptyTables } from './empty-tables.ts';
import { type BorrowedTables, borrowTables, startTables } from './shared-tables.ts';

const { type } = loadSchema('BlockTransfers');

/**
 * The real tables for the tests of one file, empty at first. Made before hooks that use it. A file that changes more than
 * rows, or kills the engine, takes an engine of its own.
 */
export class TableStage {
  #tables: BorrowedTables | null = null;
  #next = 0;
  /** Of no other file: the engine may still know their batches. */
  readonly #batches = randomUUID();

  constructor({ ownEngine = false } = {}) {
    beforeAll(async () => {
      this.#tables = await (ownEngine ? startTables() : borrowTables());
    });
    afterAll(() => this.#tables?.giveBack());
  }

  get warehouse(): EmbeddedWarehouse {
    if (!this.#tables) throw new Error('the engine is started before the tests');
    return this.#tables.warehouse;
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
    await insertBlockTransfers(this.warehouse, { records, token: `${this.#batches}-${this.#next}` });
  }
}

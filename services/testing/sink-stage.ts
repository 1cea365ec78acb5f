import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import type { DecodedBlock } from '../investigate/model/block.ts';
import type { BridgeTransfer } from '../investigate/model/bridge-transfer.ts';
import { loadSchema, loadVersions } from '../platform/avro/schemas.ts';
import { HEADER_BYTES, writeHeader } from '../platform/avro/wire-format.ts';
import type { AppendRecord } from '../platform/event-log/event-log.ts';
import { createLogger } from '../platform/logger.ts';
import {
  type RunningTransferSink,
  SINK_GROUP,
  startSink,
  TRANSFER_TOPICS,
} from '../roles/sink/start-sink.ts';
import { openStore, type Store } from '../roles/store/open-store.ts';
import { readLag } from '../warehouse/sink/lag.ts';
import type { SinkEvents } from '../warehouse/sink/store-batch.ts';
import { VISIBLE_ROWS } from '../warehouse/sql-clauses.ts';
import { buildBlock } from './build-block.ts';
import { PATIENCE } from './patience.ts';
import { TableStage } from './table-stage.ts';

export const QUEUED_BYTES_MAX = 32 << 20;
export const BATCH_BYTES_MAX = 1 << 20;
const HISTORY = 'transfers.history';
/** Of the newest version in an empty registry, which is told them oldest first. */
const SCHEMA_ID = loadVersions('BlockTransfers').length;
const schema = loadSchema('BlockTransfers');

type DrainOptions = { batchBytesMax?: number; events?: Partial<SinkEvents> };

/** The real log and the real tables for the tests of one file: for each test an empty log and empty tables. */
export class SinkStage extends TableStage {
  readonly #sinks: RunningTransferSink[] = [];
  readonly #folders: string[] = [];
  #store: Store | null = null;

  constructor(options: { ownEngine?: boolean } = {}) {
    super(options);
    beforeEach(() => this.#openEmpty());
    afterEach(() => this.#closeStore());
    afterAll(() => {
      for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
    });
  }

  get store(): Store {
    if (!this.#store) throw new Error('the store is opened before each test');
    return this.#store;
  }

  async #openEmpty(): Promise<void> {
    const dataFolder = mkdtempSync(join(tmpdir(), 'spoor-sink-'));
    this.#folders.push(dataFolder);
    this.#store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: QUEUED_BYTES_MAX });
    await this.empty();
  }

  async #closeStore(): Promise<void> {
    for (const sink of this.#sinks.splice(0)) await sink.stop().catch(() => {});
    await this.store.close();
  }

  /** An empty log and empty tables once more, within a test. */
  async renew(): Promise<void> {
    await this.#closeStore();
    await this.#openEmpty();
  }

  async append(values: readonly Uint8Array[], partition = 0, topic = HISTORY): Promise<void> {
    const records = values.map((value): AppendRecord => ({ topic, key: 'solana', partition, value }));
    await this.store.log.append(records);
  }

  encoded(...blocks: DecodedBlock[]): Buffer[] {
    return blocks.flatMap((block) => this.store.encodeBlock(block));
  }

  sink({ batchBytesMax = BATCH_BYTES_MAX, events = {} }: DrainOptions = {}): RunningTransferSink {
    const { store, warehouse } = this;
    const logger = createLogger({ level: 'silent' });
    const running = startSink({ store, warehouse, logger, batchBytesMax, events });
    this.#sinks.push(running);
    return running;
  }

  lag(): Promise<number> {
    return readLag(this.store.log, SINK_GROUP, TRANSFER_TOPICS);
  }

  async untilStored(running: RunningTransferSink): Promise<void> {
    await Promise.race([expect.poll(() => this.lag(), PATIENCE).toBe(0), running.ended]);
  }

  /** Runs a sink until it has nothing left to do. */
  async drain(options: DrainOptions = {}): Promise<void> {
    const running = this.sink(options);
    await this.untilStored(running);
    await running.stop();
  }

  /** Fills empty tables from the whole log. */
  async refill(): Promise<void> {
    await this.empty();
    await this.store.log.forgetGroup(SINK_GROUP);
    await this.drain();
  }

  async deadLetters(): Promise<{ source: string; reason: string; original: Buffer }[]> {
    const [range] = await this.store.log.ranges('dead-letters');
    if (!range) return [];
    const letters = await this.store.log.read({ ...range, offset: range.begin, maxBytes: 1 << 30 });
    return letters.map(({ headers, value }) => ({
      source: headers.source ?? '',
      reason: headers.reason ?? '',
      original: value,
    }));
  }

  /** Everything the tables hold is these blocks, each row once. */
  async expectTables(
    blocks: readonly DecodedBlock[],
    { without = [] }: { without?: readonly string[] } = {},
  ): Promise<void> {
    for (const [table, { query, rows }] of Object.entries(CONTENTS)) {
      if (without.includes(table)) continue;
      const sorted = (list: readonly unknown[][]) => list.map((row) => row.map(String).join(' ')).sort();
      expect(sorted(await this.ask(query)), table).toEqual(sorted(blocks.flatMap(rows)));
    }
  }
}

const crossingsOf = (b: DecodedBlock): unknown[][] =>
  b.bridgeTransfers.map(({ txIndex, side, messageId, amountRaw }) => [
    ...[b.number, txIndex, b.transactions.find((t) => t.txIndex === txIndex)?.hash],
    ...[side, messageId ?? '', amountRaw ?? 0n],
  ]);

const controlsOf = (b: DecodedBlock): unknown[][] =>
  b.controlEvents.flatMap(({ txIndex, kind, subject, holder, party, amountRaw }) =>
    Object.entries({ subject, holder, party })
      .filter(([role, address]) => address !== null && (role === 'subject') === (kind === 'calls'))
      .map(([role, address]) => [...[b.number, txIndex, kind, role, address, amountRaw]]),
  );

/** What each table holds of a block, told by the block itself. */
const CONTENTS: Readonly<Record<string, { query: string; rows: (block: DecodedBlock) => unknown[][] }>> = {
  blocks: {
    query: `SELECT number, hash, movements, transactions FROM blocks WHERE ${VISIBLE_ROWS}`,
    rows: (b) => [[b.number, b.hash, b.movements.length, b.transactions.length]],
  },
  transfers: {
    query: `SELECT block_number, tx_index, index, from_address, to_address, amount FROM transfers WHERE ${VISIBLE_ROWS}`,
    rows: (b) =>
      b.movements.map((m) => [b.number, m.txIndex, m.index, m.from ?? '', m.to ?? '', m.amountRaw]),
  },
  account_entries: {
    query: `SELECT block_number, tx_index, index, address, direction FROM account_entries WHERE ${VISIBLE_ROWS}`,
    rows: (b) =>
      b.movements.flatMap((m) => [
        ...(m.from === null ? [] : [[b.number, m.txIndex, m.index, m.from, 'out']]),
        ...(m.to === null ? [] : [[b.number, m.txIndex, m.index, m.to, 'in']]),
      ]),
  },
  transactions: {
    query: `SELECT block_number, tx_index FROM transactions WHERE ${VISIBLE_ROWS}`,
    rows: (b) => b.transactions.map((t) => [b.number, t.txIndex]),
  },
  bridge_transfers: {
    query: `SELECT block_number, tx_index, tx_hash, side, message_id, amount FROM bridge_transfers WHERE ${VISIBLE_ROWS}`,
    rows: crossingsOf,
  },
  bridge_messages: {
    query: `SELECT block_number, tx_index, tx_hash, side, message_id, amount FROM bridge_messages WHERE ${VISIBLE_ROWS}`,
    rows: (b) => crossingsOf(b).filter(([, , , , messageId]) => messageId !== ''),
  },
  control_entries: {
    query: `SELECT block_number, tx_index, kind, role, address, amount FROM control_entries WHERE ${VISIBLE_ROWS}`,
    rows: controlsOf,
  },
  control_blocks: {
    query: `SELECT number, coverage FROM control_blocks WHERE part = 0 AND ${VISIBLE_ROWS}`,
    rows: (b) => (b.controlCoverage === 'none' ? [] : [[b.number, b.controlCoverage]]),
  },
  swaps: {
    query: `SELECT block_number, tx_index, owner FROM swaps WHERE ${VISIBLE_ROWS}`,
    rows: (b) => b.swaps.map((s) => [b.number, s.txIndex, s.owner]),
  },
  assets: {
    query: 'SELECT asset FROM assets FINAL',
    rows: (b) => b.assets.map((a) => [a.asset]),
  },
};

/** Only every other block has a crossing, and only every other crossing a number. */
const crossingIn = (number: number): BridgeTransfer[] =>
  number % 2 === 1
    ? []
    : [
        {
          ...({ txIndex: 0, index: 0, bridge: 'cctp', side: 'delivery', farChain: 'base' } as const),
          messageId: number % 4 === 0 ? `6:${number}` : null,
          ...{ from: null, to: 'wallet-0', asset: 'token', amountRaw: BigInt(number) },
        },
      ];

/** A block that touches every table: transfers between wallets, what was issued to them, swaps, an asset. */
export const blockOf = (number: number, transactions = 3): DecodedBlock =>
  buildBlock({
    chain: 'solana',
    number,
    timeUnixSeconds: 1_700_000_000 + number,
    transactions: Array.from({ length: transactions }, (_, tx) => {
      const owner = `wallet-${tx}`;
      const token = { gotAsset: 'token', gotRaw: 6n, through: null };
      return {
        hash: `tx-${number}-${tx}`,
        sender: owner,
        movements: [
          { from: owner, to: `wallet-${tx + 1}`, amountRaw: BigInt(number * 1_000 + tx) },
          { from: null, to: owner, kind: 'mint' as const, asset: 'token', amountRaw: 7n },
        ],
        swaps: [{ owner, gaveAsset: 'native', gaveRaw: 5n, ...token }],
        bridgeTransfers: tx === 0 ? crossingIn(number) : [],
        controlEvents: [
          { kind: 'approval', subject: 'token', holder: owner, party: 'spender', amountRaw: BigInt(number) },
          { kind: 'calls', subject: 'program', party: owner, amountRaw: 2n },
        ],
      };
    }),
    assets: [{ asset: `asset-${number}`, decimals: 6 }],
  });

export const range = (first: number, count: number): DecodedBlock[] =>
  Array.from({ length: count }, (_, i) => blockOf(first + i));

/** A record as the log holds it, of columns that the encoder did not have to agree with. */
export const encodePart = (
  part: object,
  schemaId = SCHEMA_ID,
  { type }: Pick<typeof schema, 'type'> = schema,
): Buffer => {
  const record = Buffer.concat([Buffer.alloc(HEADER_BYTES), type.toBuffer(part)]);
  writeHeader(record, schemaId);
  return record;
};

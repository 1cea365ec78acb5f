import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { type AvroSchema, loadSchema, loadVersions, parseSchema } from '../../platform/avro/schemas.ts';
import { openEmbeddedLog } from '../../platform/event-log/embedded/open-embedded-log.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { SINK_GROUP, TRANSFER_TOPICS } from '../../roles/sink/start-sink.ts';
import { blockParts } from '../../testing/block-parts.ts';
import { PATIENCE } from '../../testing/patience.ts';
import {
  BATCH_BYTES_MAX,
  blockOf,
  encodePart,
  QUEUED_BYTES_MAX,
  range,
  SinkStage,
} from '../../testing/sink-stage.ts';
import { deleteRetracted } from './delete-retracted.ts';
import { findShown } from './find-shown.ts';
import { hideRetracted } from './hide-retracted.ts';
import { insertBlockTransfers } from './insert-block-transfers.ts';
import { readProgress, writeProgress } from './intent.ts';
import { keepFinal } from './keep-final.ts';
import { runSink } from './sink.ts';
import type { SinkEvents, SinkTarget } from './store-batch.ts';

const HEAD = 'transfers.head';
const HISTORY = 'transfers.history';
const stage = new SinkStage({ ownEngine: true });

describe('each block is stored once', () => {
  test('whatever its topic and partition, and however small the batches are', async () => {
    const blocks = range(1, 60);
    for (const [i, block] of blocks.entries())
      await (i % 3 === 0
        ? stage.append(stage.encoded(block), 0, HEAD)
        : stage.append(stage.encoded(block), i % 8));
    await stage.drain({ batchBytesMax: 4_000 });
    await stage.expectTables(blocks);
    expect(await stage.deadLetters()).toEqual([]);
  });

  test('where the log holds it twice: in a row, in another partition, in another topic, or in a later batch', async () => {
    const [one, two, three, four] = range(1, 4) as [DecodedBlock, DecodedBlock, DecodedBlock, DecodedBlock];
    const duplicates: number[] = [];
    const events = { inserted: (batch: { duplicates: number }) => void duplicates.push(batch.duplicates) };
    await stage.append(stage.encoded(one, one, two, one), 0);
    await stage.append(stage.encoded(two, three), 5);
    await stage.append(stage.encoded(three, one), 0, HEAD);
    await stage.drain({ events });
    await stage.append(stage.encoded(one, two, three, four, four), 0);
    await stage.drain({ events });
    await stage.expectTables([one, two, three, four]);
    expect(duplicates.reduce((sum, count) => sum + count, 0)).toBe(9);
  });

  test('where a block that is split into parts comes again in whole or in part', async () => {
    const block = blockOf(1, 40);
    const parts = blockParts(block, 2_000).map((part) => encodePart(part));
    expect(parts.length).toBeGreaterThan(3);
    await stage.append([...parts, ...parts], 0);
    await stage.append(parts, 1);
    await stage.drain({ batchBytesMax: 3_000 });
    expect(await stage.ask('SELECT count(), uniqExact(part), any(parts) FROM blocks')).toEqual([
      [String(parts.length), String(parts.length), parts.length],
    ]);
    expect(await stage.ask('SELECT count(), uniqExact(tx_index, index) FROM transfers')).toEqual([
      ['80', '80'],
    ]);
  });
});

describe('blocks whose parts take turns in a partition, as two processes append them to brokers,', () => {
  const parts = (block: DecodedBlock) => blockParts(block, 2_000).map((part) => encodePart(part));
  const [large, other] = [blockOf(1, 24), blockOf(3, 24)];
  const small = stage.encoded.bind(stage);

  test('are of many parts', () => {
    for (const block of [large, other]) expect(parts(block).length).toBeGreaterThan(5);
  });

  test.each([
    { name: 'the same', mix: () => parts(large).flatMap((part) => [part, part]), blocks: [large] },
    {
      name: 'two large ones',
      mix: () => parts(large).flatMap((part, i) => [part, ...parts(other).slice(i, i + 1)]),
      blocks: [large, other],
    },
    {
      name: 'small ones within a large one',
      mix: () => parts(large).flatMap((part, i) => [part, ...small(blockOf(5 + i))]),
      blocks: [large, ...range(5, parts(large).length)],
    },
  ])('$name, are stored whole and once, wherever a batch ends', async ({ mix, blocks }) => {
    const records = mix();
    for (const batchBytesMax of [1_000, 5_000, BATCH_BYTES_MAX]) {
      await stage.renew();
      await stage.append(records);
      const running = stage.sink({ batchBytesMax });
      while ((await stage.lag()) > 0) {
        const partly = 'SELECT number FROM blocks GROUP BY number HAVING count() != any(parts)';
        expect(await stage.ask(partly)).toEqual([]);
      }
      await running.stop();
      await stage.expectTables(blocks, { without: ['blocks', 'transactions'] });
      expect(await stage.deadLetters()).toEqual([]);
    }
  });

  test('are stored whole and once by a sink that is cut off at every insert', async () => {
    await stage.append(parts(large).flatMap((part, i) => [part, ...small(blockOf(5 + i))]));
    let isCut = false;
    for (let starts = 0; (await stage.lag()) > 0; starts++) {
      expect(starts).toBeLessThan(1_000);
      const stopping = new AbortController();
      const insert: SinkTarget['insert'] = async (records, token) => {
        isCut = !isCut;
        if (!isCut) return realInsert(records, token);
        // Half of them reach the tables.
        if (starts % 4 === 0) await realInsert(records, token);
        stopping.abort();
        throw new Error('socket hang up');
      };
      const done = setInterval(async () => {
        if ((await stage.lag()) === 0) stopping.abort();
      }, 50);
      await runSinkWith(stage.store.log, insert, stopping.signal, { batchBytesMax: 1_000 });
      clearInterval(done);
    }
    await stage.expectTables([large, ...range(5, parts(large).length)], {
      without: ['blocks', 'transactions'],
    });
    expect(await stage.deadLetters()).toEqual([]);
  });
});

test('what an earlier version of the schema wrote is stored beside what the newest writes', async () => {
  const [first, second, third] = range(1, 3) as [DecodedBlock, DecodedBlock, DecodedBlock];
  const [earliest] = loadVersions('BlockTransfers') as [AvroSchema];
  const id = await stage.store.registry.register(earliest);
  const encodeEarly = (block: DecodedBlock) =>
    blockParts(block).map((part) => encodePart(part, id, earliest));
  await stage.append([...encodeEarly(first), ...stage.encoded(second), ...encodeEarly(third)]);
  await stage.drain();
  const early = (block: DecodedBlock): DecodedBlock => ({
    ...block,
    ...{ controlEvents: [], controlCoverage: 'none' },
  });
  await stage.expectTables([early(first), second, early(third)]);
  expect(await stage.deadLetters()).toEqual([]);
  // Read again, they are kept with what the earlier version left out.
  await stage.append(stage.encoded(third, first));
  await stage.drain();
  await stage.expectTables([first, second, third], { without: ['assets'] });
});

describe('a block of several parts', () => {
  test('is never visible in part, also where it is larger than a batch', async () => {
    const blocks = Array.from({ length: 12 }, (_, i) => blockOf(i + 1, 60));
    const split = blocks.map((block) => blockParts(block, 3_000).map((part) => encodePart(part)));
    for (const parts of split) await stage.append([...parts]);
    const running = stage.sink({ batchBytesMax: 5_000 });
    let looks = 0;
    const QUERIES = [
      'SELECT number FROM blocks GROUP BY number HAVING count() != any(parts)',
      'SELECT block_number FROM transfers GROUP BY block_number HAVING count() != 120',
      'SELECT block_number FROM swaps GROUP BY block_number HAVING count() != 60',
    ];
    while ((await stage.lag()) > 0) {
      for (const query of QUERIES) expect(await stage.ask(query), query).toEqual([]);
      looks += 1;
    }
    await running.stop();
    expect(looks).toBeGreaterThan(3);
    expect(await stage.ask('SELECT count(), uniqExact(block_number) FROM transfers')).toEqual([
      ['1440', '12'],
    ]);
  });

  test('larger than any batch is stored whole, and so is what follows it', async () => {
    const large = blockOf(1, 400);
    await stage.append(blockParts(large, 3_000).map((part) => encodePart(part)));
    await stage.append(stage.encoded(blockOf(2)));
    await stage.drain({ batchBytesMax: 1_000 });
    expect(await stage.ask('SELECT count(), sum(amount > 0) FROM transfers')).toEqual([['806', '806']]);
    expect(await stage.ask('SELECT count() FROM blocks WHERE number = 2')).toEqual([['1']]);
  });
});

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : error);

describe('what is out of reach is waited for', () => {
  test('a schema that the registry does not know is reported, and stored once the registry knows it', async () => {
    const registryFile = join(stage.store.folder, 'schemas.json');
    const known = readFileSync(registryFile);
    writeFileSync(registryFile, '{"schemas": []}');
    await stage.append(stage.encoded(...range(1, 3)));
    const waiting: unknown[] = [];
    const running = stage.sink({ events: { waiting: (error) => void waiting.push(codeOf(error)) } });
    await expect.poll(() => waiting, PATIENCE).toContain('schema_missing');
    expect(await stage.ask('SELECT count() FROM blocks')).toEqual([['0']]);
    writeFileSync(registryFile, known);
    await stage.untilStored(running);
    await stage.expectTables(range(1, 3));
    expect(await stage.deadLetters()).toEqual([]);
  });

  test('a registry that cannot be read at a retraction: the block that was taken back leaves the tables once it can', async () => {
    const registryFile = join(stage.store.folder, 'schemas.json');
    const known = readFileSync(registryFile);
    const waiting: unknown[] = [];
    const running = stage.sink({ events: { waiting: (error) => void waiting.push(codeOf(error)) } });
    await stage.append(stage.encoded({ ...blockOf(1), hash: 'abandoned' }), 0, HEAD);
    await stage.untilStored(running);
    const taken = { chain: 'solana', blockNumber: 1, blockHash: 'abandoned', offsets: [0] };
    writeFileSync(registryFile, '{');
    await stage.append([stage.store.encodeRetraction(taken), ...stage.encoded(blockOf(1))], 0, HEAD);
    await expect.poll(() => waiting, PATIENCE).toContain('registry_file_unreadable');
    writeFileSync(registryFile, known);
    await stage.untilStored(running);
    await stage.expectTables([blockOf(1)]);
    expect(await stage.deadLetters()).toEqual([]);
  });

  test.each(['BlockTransfers', 'TransactionTransfers'])(
    'a record of %s with a column that a later version of the program added is no dead letter, and other partitions go on',
    async (name) => {
      const newest = JSON.parse(loadSchema(name).json) as { fields: object[] };
      const added = { name: 'x_new', type: { type: 'array', items: 'string' }, default: [] };
      const newer = parseSchema(JSON.stringify({ ...newest, fields: [...newest.fields, added] }));
      const id = await stage.store.registry.register(newer);
      const [part] = blockParts(blockOf(1, 1));
      await stage.append([encodePart({ ...part, x_new: [] }, id, newer)]);
      await stage.append(stage.encoded(blockOf(2)), 1);
      const waiting: unknown[] = [];
      const running = stage.sink({ events: { waiting: (error) => void waiting.push(codeOf(error)) } });
      await expect.poll(() => waiting, PATIENCE).toContain('schema_newer');
      await expect.poll(() => stage.lag(), PATIENCE).toBe(1);
      await running.stop();
      await stage.expectTables([blockOf(2)]);
      expect(await stage.deadLetters()).toEqual([]);
    },
  );

  test('an engine killed again and again delays blocks, loses none and doubles none', async () => {
    const blocks = range(1, 120);
    for (let i = 0; i < blocks.length; i += 4)
      await stage.append(stage.encoded(...blocks.slice(i, i + 4)), i % 8);
    let waits = 0;
    let batches = 0;
    const running = stage.sink({
      batchBytesMax: 4_000,
      events: {
        waiting: () => {
          waits += 1;
        },
        inserted: () => {
          batches += 1;
        },
      },
    });
    for (let kills = 1; kills <= 4; kills++) {
      const { pid } = stage.warehouse;
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => stage.warehouse.pid > 0 && stage.warehouse.pid !== pid, PATIENCE).toBe(true);
      const seen = batches;
      await expect.poll(async () => batches > seen || (await stage.lag()) === 0, PATIENCE).toBe(true);
    }
    await stage.untilStored(running);
    expect(waits).toBeGreaterThan(0);
    await stage.expectTables(blocks);
  });
});

/** A sink whose insert can be interfered with; everything it works on is real. */
const runSinkWith = (
  log: EventLog,
  insert: SinkTarget['insert'],
  signal: AbortSignal,
  { batchBytesMax = BATCH_BYTES_MAX, ...events }: Partial<SinkEvents> & { batchBytesMax?: number } = {},
): Promise<void> =>
  runSink(
    {
      log,
      registry: stage.store.registry,
      target: {
        insert,
        findShown: (blocks) => findShown(stage.warehouse.writer, blocks),
        keepFinal: (blocks) => keepFinal(stage.warehouse.writer, blocks),
        hideRetracted: (sequences) => hideRetracted(stage.warehouse.writer, sequences),
        deleteRetracted: (ends) => deleteRetracted(stage.warehouse.writer, { ends }),
      },
      events: { inserted: () => {}, deadLetter: () => {}, waiting: () => {}, ...events },
      group: SINK_GROUP,
      topics: TRANSFER_TOPICS,
      batchBytesMax,
      lingerMs: 1,
      hurry: new AbortController().signal,
    },
    signal,
  );

const realInsert: SinkTarget['insert'] = (records, token) =>
  insertBlockTransfers(stage.warehouse, { records, token });
const intents = async (): Promise<unknown[]> =>
  (await stage.store.log.commits(SINK_GROUP)).flatMap((c) => readProgress(c.metadata).intent ?? []);

describe('a sink that is told to stop', () => {
  test.each<{ name: string; insert: SinkTarget['insert'] }>([
    { name: 'while the tables are away', insert: () => Promise.reject(new Error('connect ECONNREFUSED')) },
    {
      name: 'while it waits for an answer that was lost',
      insert: async (records, token) => {
        await realInsert(records, token);
        throw new Error('socket hang up');
      },
    },
  ])('$name ends quietly, leaves what it meant to do, and the next one finishes it', async ({ insert }) => {
    const blocks = range(1, 8);
    await stage.append(stage.encoded(...blocks));
    const stopping = new AbortController();
    const waiting = () => setTimeout(() => stopping.abort(), 10);
    await runSinkWith(stage.store.log, insert, stopping.signal, { waiting });
    expect(await intents()).toEqual([{ until: 8, skip: [], carried: [] }]);
    await stage.append(stage.encoded(...range(9, 2)));
    await stage.drain();
    expect(await intents()).toEqual([]);
    await stage.expectTables(range(1, 10));
  });

  test('while it finishes what an earlier one meant to do ends quietly, and the next one finishes it', async () => {
    const blocks = range(1, 8);
    await stage.append(stage.encoded(...blocks));
    const consumer = await stage.store.log.consume({ group: SINK_GROUP, topics: TRANSFER_TOPICS });
    const metadata = writeProgress({ carried: [], intent: { until: 8, skip: [], carried: [] } });
    await consumer.commit({ topic: HISTORY, partition: 0, offset: 0, metadata });
    await consumer.close();
    const stopping = new AbortController();
    const waiting = () => setTimeout(() => stopping.abort(), 10);
    const away = () => Promise.reject(new Error('connect ECONNREFUSED'));
    await runSinkWith(stage.store.log, away, stopping.signal, { waiting });
    expect(await intents()).toEqual([{ until: 8, skip: [], carried: [] }]);
    await stage.drain();
    await stage.expectTables(blocks);
  });

  test('while the registry is out of reach ends quietly', async () => {
    await stage.append([encodePart(blockParts(blockOf(1))[0] as object, 99)]);
    const stopping = new AbortController();
    const waiting = () => setTimeout(() => stopping.abort(), 10);
    await runSinkWith(stage.store.log, realInsert, stopping.signal, { waiting });
    expect(await stage.lag()).toBe(1);
  });
});

test('a sink that another took over from commits nothing more, and nothing is stored twice', async () => {
  const blocks = range(1, 10);
  await stage.append(stage.encoded(...blocks));
  const inserting = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  // It sleeps with its batch in its hands, as a stopped process does.
  const slowly: SinkTarget['insert'] = async (records, token) => {
    inserting.resolve();
    await resumed.promise;
    await realInsert(records, token);
  };
  const sleepy = runSinkWith(stage.store.log, slowly, new AbortController().signal);
  sleepy.catch(() => {});
  await inserting.promise;

  // For a clock that is an hour ahead the lease of the sleeper has run out.
  const HOUR_MS = 3_600_000;
  const log = await openEmbeddedLog({
    folder: join(stage.store.folder, 'log'),
    topics: TOPICS,
    maxQueuedBytes: QUEUED_BYTES_MAX,
    maxRecordBytes: 1 << 20,
    clock: { nowUnixMs: () => Date.now() + HOUR_MS },
  });
  const stopping = new AbortController();
  const successor = runSinkWith(log, realInsert, stopping.signal);
  await expect.poll(() => stage.lag(), PATIENCE).toBe(0);
  const commits = await stage.store.log.commits(SINK_GROUP);
  resumed.resolve();
  await expect(sleepy).rejects.toMatchObject({ code: 'fenced' });
  expect(await stage.store.log.commits(SINK_GROUP)).toEqual(commits);
  await stage.append(stage.encoded(blockOf(11)));
  await expect.poll(() => stage.lag(), PATIENCE).toBe(0);
  stopping.abort();
  await successor;
  await log.close();
  await stage.expectTables(range(1, 11));
});

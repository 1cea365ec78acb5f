import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createBlockEncoder, createTransactionEncoder } from '../../events/encode-block.ts';
import { fingerprintRecords } from '../../platform/avro/fingerprint-records.ts';
import { openLocalRegistry } from '../../platform/avro/local-registry.ts';
import { RegistryError, type SchemaRegistry } from '../../platform/avro/schema-registry.ts';
import { loadSchema } from '../../platform/avro/schemas.ts';
import { applyTopics } from '../../platform/event-log/kafka/apply-topics.ts';
import { openKafkaLog } from '../../platform/event-log/kafka/open-kafka-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { describeOnEngines } from '../../testing/engines/describe-on-engines.ts';
import { blockOf } from '../../testing/sink-stage.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { readLag } from './lag.ts';
import { runSink } from './sink.ts';
import type { SinkTarget } from './store-batch.ts';

const MAX = 1 << 20;
const HISTORY = { topic: 'transfers.history', key: 'solana', partition: 0 };
const ignore = () => {};

/** A registry that answers no question while it is away. */
const openMovable = (file: string) => {
  const local = openLocalRegistry(file);
  const state = { isAway: false, asked: 0 };
  const schemaOf: SchemaRegistry['schemaOf'] = async (id) => {
    if (!state.isAway) return local.schemaOf(id);
    state.asked += 1;
    throw new RegistryError('registry_unreachable', 'the schema registry does not answer');
  };
  return { state, registry: { ...local, schemaOf } };
};

describeOnEngines('a sink on brokers', ({ brokers }) => {
  const openProcess = async (prefix: string, registry: SchemaRegistry) => {
    const address = { brokers: [brokers], prefix, topics: TOPICS };
    const log = await openKafkaLog({ ...address, maxQueuedBytes: MAX, maxRecordBytes: MAX });
    onTestFinished(() => log.close());
    return fingerprintRecords(log, registry, ignore);
  };

  const openIngest = async (prefix: string, file: string) => {
    const { log, registry } = await openProcess(prefix, openLocalRegistry(file));
    const encode = createBlockEncoder(await registry.register(loadSchema('BlockTransfers')));
    const alone = createTransactionEncoder(await registry.register(loadSchema('TransactionTransfers')));
    return {
      /** As a range does: the brokers' mark of the transaction follows the block. */
      appendRange: (number: number) =>
        log.append([
          ...encode(blockOf(number)).map((value) => ({ ...HISTORY, value })),
          { topic: 'ingest.ranges', key: 'solana', value: Buffer.from('x') },
        ]),
      appendLone: (number: number) =>
        log.append([{ ...HISTORY, value: alone(blockOf(number, 1)) ?? Buffer.alloc(0) }]),
    };
  };

  const runOn = (
    { log, registry }: Awaited<ReturnType<typeof openProcess>>,
    insert: SinkTarget['insert'],
  ) => {
    const stopping = new AbortController();
    const running = runSink(
      {
        ...{ log, registry, batchBytesMax: MAX, group: 'sink', topics: [HISTORY.topic], lingerMs: 0 },
        target: {
          insert,
          findShown: async () => ({ partsAt: () => [], aloneAt: () => [], isKeptFinal: () => false }),
          keepFinal: async () => {},
          hideRetracted: async () => {},
          deleteRetracted: async () => 0,
        },
        events: { inserted: ignore, deadLetter: ignore, waiting: ignore },
        hurry: AbortSignal.abort(),
      },
      stopping.signal,
    );
    onTestFinished(async () => {
      stopping.abort();
      await running;
    });
  };

  test('stores all that comes behind a record whose schema the registry could not tell for a moment', async () => {
    const prefix = `${randomUUID()}.`;
    await applyTopics({ brokers: [brokers], prefix, topics: TOPICS });
    const file = join(temporaryFolder(), 'schemas.json');
    const { appendRange, appendLone } = await openIngest(prefix, file);
    const { state, registry } = openMovable(file);
    const reader = await openProcess(prefix, registry);
    let stored = 0;
    runOn(reader, async (records) => {
      stored += records.length;
    });
    await appendRange(1);
    await expect.poll(() => stored).toBe(1);
    state.isAway = true;
    await appendLone(2);
    await expect.poll(() => state.asked).toBeGreaterThan(0);
    state.isAway = false;
    for (const number of [3, 4, 5]) await appendRange(number);
    await expect.poll(() => readLag(reader.log, 'sink', [HISTORY.topic])).toBe(0);
    expect(stored).toBe(5);
  });
});

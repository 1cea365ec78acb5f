import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bulkBlocks } from '../../services/demo-world/bulk-transfers.ts';
import { historyKey } from '../../services/events/history-key.ts';
import { CHAINS } from '../../services/investigate/model/chain.ts';
import type { KafkaEngines } from '../../services/platform/config/kafka.ts';
import type { AppendRecord, EventLog } from '../../services/platform/event-log/event-log.ts';
import { applyTopics } from '../../services/platform/event-log/kafka/apply-topics.ts';
import { applyStoreTopics } from '../../services/roles/store/apply-store-topics.ts';
import { fetchKafka, startKafkaBroker } from '../../services/testing/engines/kafka-broker.ts';
import { startRegistryServer } from '../../services/testing/engines/registry-server.ts';
import { runToEnd } from '../../services/testing/engines/run-to-end.ts';
import { type BenchStore, say, secondsOf, withStore } from './bench-store.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { wholeNumber } from './number-options.ts';
import { secondsToDrain, sinkOf } from './pipeline.ts';

const RUNS = 3;
const TRANSFERS = 1_000_000;
const HISTORY = 'transfers.history';
const IN_FLIGHT = 64;
const CONSUME_WAIT_MS = 10_000;
const CONSUME_BYTES = 4 << 20;
// Solana's block rate at 5,000 transfers a second.
const BLOCKS_SEEN = 100;
const TRANSFERS_PER_BLOCK = 2_000;
const LOOK_MS = 2;
/** Fewer would measure Java's warm-up. */
const PERF_RECORDS_MIN = 2_000;
const PERF_TOPIC = { name: 'perf-test', partitions: 8, retentionMs: -1 };

const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      transfers: { type: 'string', default: String(TRANSFERS) },
      uncompressed: { type: 'boolean', default: false },
    },
  });
  const transfers = wholeNumber('transfers', values.transfers);
  const compression = values.uncompressed ? 'none' : 'zstd';
  const engines = new AsyncDisposableStack();
  try {
    const { brokers } = engines.use(await startKafkaBroker());
    const { url } = engines.use(await startRegistryServer());
    const runs: Rates[] = [];
    for (let at = 0; at < RUNS; at += 1) {
      runs.push(await measureRates({ brokers, registryUrls: [url], compression }, transfers));
      say(JSON.stringify(runs.at(-1)));
    }
    const visibleMs = await onKafka({ brokers, registryUrls: [url], compression }, measureVisible);
    return toFigures(runs, visibleMs);
  } finally {
    await engines.disposeAsync();
  }
};

type Address = Pick<KafkaEngines, 'registryUrls' | 'compression'> & { readonly brokers: string };

/** Per second; bytes of the records. */
type Rates = {
  readonly produced: number;
  readonly consumed: number;
  readonly overEmbedded: number;
  readonly overPerfTest: number;
};

const toFigures = (runs: readonly Rates[], visibleMs: readonly number[]): Figure[] => {
  const of = (name: keyof Rates): number[] => runs.map((rates) => rates[name]);
  const at = (share: number): number => visibleMs[Math.floor((visibleMs.length - 1) * share)] ?? Number.NaN;
  return [
    toFigure({ name: 'kafka.produce_per_s', unit: 'transfers/s' }, of('produced')),
    toFigure({ name: 'kafka.consume_per_s', unit: 'transfers/s' }, of('consumed')),
    toFigure(
      {
        name: 'kafka.over_embedded',
        unit: 'log to tables over the same from the embedded log',
        atLeast: 0.8,
      },
      of('overEmbedded'),
    ),
    toFigure(
      {
        name: 'kafka.over_producer_perf_test',
        unit: 'bytes/s over kafka-producer-perf-test of the same bytes',
      },
      of('overPerfTest'),
    ),
    toFigure({ name: 'kafka.append_to_visible_p50_ms', unit: 'ms' }, [at(0.5)]),
    toFigure({ name: 'kafka.append_to_visible_p99_ms', unit: 'ms' }, [at(0.99)]),
  ];
};

/** A store with fresh topics. */
const onKafka = async <T>(
  { brokers, ...same }: Address,
  measure: (bench: BenchStore) => Promise<T>,
): Promise<T> => {
  const kafka: KafkaEngines = {
    ...same,
    brokers: [brokers],
    prefix: `${randomUUID()}.`,
    tls: false,
    sasl: null,
  };
  await applyStoreTopics(kafka, 'chain');
  return withStore(measure, kafka);
};

const measureRates = async (address: Address, transfers: number): Promise<Rates> => {
  const onBroker = await onKafka(address, async (bench) => {
    const records = encodeBlocks(bench, transfers);
    const bytes = records.reduce((sum, { value }) => sum + value.length, 0);
    const produceSeconds = await secondsOf(() => appendAll(bench.store.log, records));
    const consumeSeconds = await secondsOf(() => consumeAll(bench.store.log, records.length));
    const storeSeconds = await secondsToDrain(bench);
    return { count: records.length, bytes, produceSeconds, consumeSeconds, storeSeconds };
  });
  const embeddedSeconds = await withStore(async (bench) => {
    await appendAll(bench.store.log, encodeBlocks(bench, transfers));
    return secondsToDrain(bench);
  });
  const { count, bytes, produceSeconds, consumeSeconds, storeSeconds } = onBroker;
  const perfTest = await runPerfTest(
    address.brokers,
    Math.max(count, PERF_RECORDS_MIN),
    Math.round(bytes / count),
  );
  return {
    produced: transfers / produceSeconds,
    consumed: transfers / consumeSeconds,
    overEmbedded: embeddedSeconds / storeSeconds,
    overPerfTest: bytes / produceSeconds / perfTest,
  };
};

const encodeBlocks = ({ store }: BenchStore, transfers: number): AppendRecord[] =>
  [...bulkBlocks({ seed: 1, transfers, chain: 'solana' })].flatMap((block) =>
    store
      .encodeBlock(block)
      .map((value) => ({ topic: HISTORY, key: historyKey(block.chain, block.number), value })),
  );

const appendAll = async (log: EventLog, records: readonly AppendRecord[]): Promise<void> => {
  const rest = records.values();
  const appendRest = async (): Promise<void> => {
    for (const record of rest) await log.append([record]);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, appendRest));
};

const consumeAll = async (log: EventLog, count: number): Promise<void> => {
  const consumer = await log.consume({ group: 'bench', topics: [HISTORY] });
  for (let read = 0; read < count; ) {
    const batch = await consumer.poll({ maxBytes: CONSUME_BYTES, waitMs: CONSUME_WAIT_MS });
    if (batch === null) throw new Error(`${count - read} of ${count} records did not come`);
    read += batch.records.length;
  }
  await consumer.close();
};

/** Bytes a second of the broker's own tool, with the same acknowledgement. */
const runPerfTest = async (brokers: string, count: number, recordBytes: number): Promise<number> => {
  await applyTopics({ brokers: [brokers], topics: [PERF_TOPIC] });
  const properties = ['acks=all', 'enable.idempotence=true', 'batch.size=1048576', 'compression.type=none'];
  const said = await runToEnd('java', [
    ...['-cp', join(await fetchKafka(), '*'), 'org.apache.kafka.tools.ProducerPerformance'],
    ...['--bootstrap-server', brokers, '--topic', PERF_TOPIC.name, '--throughput', '-1'],
    ...['--num-records', String(count), '--record-size', String(recordBytes)],
    ...['--command-property', ...properties],
  ]);
  // It prints progress and a final line.
  const rate = [...said.matchAll(/([\d.]+) records\/sec/g)].at(-1)?.[1];
  if (rate === undefined) throw new Error(`the producer's test said no rate: ${said}`);
  return Number(rate) * recordBytes;
};

/** From a block's append until the tables show it, in ms, ascending. */
const measureVisible = async (bench: BenchStore): Promise<number[]> => {
  const { store, warehouse } = bench;
  const sink = sinkOf(bench);
  const at = {
    topic: 'transfers.head',
    key: 'solana',
    partition: CHAINS.findIndex(({ name }) => name === 'solana'),
  };
  const isVisible = async (number: number): Promise<boolean> => {
    const query = 'SELECT count() > 0 FROM blocks WHERE number = {number:UInt64}';
    const answer = await warehouse.reader.query({
      query,
      query_params: { number },
      format: 'JSONCompactEachRow',
    });
    return (await answer.json<[number]>())[0]?.[0] === 1;
  };
  const delays: number[] = [];
  const transfers = BLOCKS_SEEN * TRANSFERS_PER_BLOCK;
  for (const block of bulkBlocks({ seed: 2, transfers, transfersPerBlock: TRANSFERS_PER_BLOCK })) {
    const startMs = performance.now();
    await store.log.append(store.encodeBlock(block).map((value) => ({ ...at, value })));
    while (!(await isVisible(block.number))) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    delays.push(performance.now() - startMs);
  }
  await sink.stop();
  return delays.sort((a, b) => a - b);
};

export const bench: Bench = { name: 'kafka', run };

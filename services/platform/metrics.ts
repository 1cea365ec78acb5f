import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { TOPICS } from './event-log/topics.ts';
import { watchedGauge } from './watched-gauge.ts';

type RequestOutcome = {
  readonly method: string;
  /** The route's pattern, never the path as it came. */
  readonly route: string;
  readonly status: number;
  readonly durationSeconds: number;
};

export type LogStats = {
  readonly queuedBytes: number;
  /** Only where the log lies in a file of this machine. */
  readonly walBytes?: number;
  readonly fileBytes?: number;
};

export type NewestBlock = {
  readonly chain: string;
  /** How settled blocks are when they are taken. */
  readonly finality: string;
  readonly timeUnixSeconds: number;
};

/** What the process counts. Rooms take the one or two functions they need. */
export type Metrics = {
  observeRequest(outcome: RequestOutcome): void;
  /** Blocks that became events, with the number of their movements. */
  blockIngested(block: { chain: string; movements: number }): void;
  /** Newest block the chain has, and newest one whose events are in the log. */
  chainAt(heights: { chain: string; head: number; indexed: number }): void;
  batchInserted(batch: { topic: string; records: number; bytes: number; durationSeconds: number }): void;
  deadLetter(letter: { topic: string }): void;
  /** A failure that is tried again: `what` names the work, not the instance. */
  retried(what: string): void;
  /** A derived table was brought up to what is settled. */
  derived(done: { derivation: string; durationSeconds: number }): void;
  /** A question to the tables, until its answer began. */
  questionAsked(question: { outcome: 'answered' | 'failed'; durationSeconds: number }): void;
  /** What the ledger said to a reservation: reserved, the reason of its refusal, or nothing. */
  reservationEnded(outcome: string): void;
  /** What became of a payment: settled, failed or unknown. */
  settlementEnded(outcome: string): void;
  /** What is watched is asked at each scrape, and says nothing while nobody can tell. Active parts by table. */
  watchParts(read: () => Promise<ReadonlyMap<string, number>>): void;
  /** When the newest block in the tables was made, of each chain that is followed. */
  watchNewestBlocks(read: () => Promise<readonly NewestBlock[]>): void;
  watchLog(stats: () => LogStats): void;
  /** Records in the log that the tables do not hold yet. */
  watchSinkLag(read: () => Promise<number>): void;
  /** Parts of the service that the process waits for at this moment. */
  watchWaits(read: () => readonly string[]): void;
  /** All metrics in the Prometheus text format. */
  expose(): Promise<{ contentType: string; text: string }>;
};

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const DERIVE_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];
const INSERT_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const createCounters = (registers: Registry[]) => {
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  return {
    blocks: counter('spoor_blocks_ingested_total', 'Blocks appended to the event log.', ['chain']),
    movements: counter('spoor_movements_ingested_total', 'Movements in these blocks.', ['chain']),
    records: counter('spoor_sink_records_total', 'Records of the event log inserted into tables.', ['topic']),
    bytes: counter('spoor_sink_bytes_total', 'Bytes of these records.', ['topic']),
    deadLetters: counter('spoor_dead_letters_total', 'Records that can never be used.', ['topic']),
    reservations: counter('spoor_reservations_total', 'Reservations of credits, by outcome.', ['outcome']),
    settlements: counter('spoor_settlements_total', 'Payments by what became of them.', ['outcome']),
    retries: counter('spoor_retries_total', 'Failures that were tried again.', ['what']),
  };
};

const createGauges = (registers: Registry[]) => {
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['chain'], registers });
  return {
    head: gauge('spoor_chain_head_block', 'Newest block or slot the chain has.'),
    indexed: gauge('spoor_chain_indexed_block', 'Newest block or slot in the event log.'),
  };
};

const createHistograms = (registers: Registry[]) => {
  const histogram = <L extends string>(name: string, help: string, labelNames: L[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  return {
    requests: histogram(
      'spoor_http_request_duration_seconds',
      'Time from a request to the end of its answer.',
      ['method', 'route', 'status'],
      REQUEST_SECONDS,
    ),
    questions: histogram(
      'spoor_query_duration_seconds',
      'Time from a question to the tables until its answer begins.',
      ['outcome'],
      REQUEST_SECONDS,
    ),
    inserts: histogram(
      'spoor_sink_insert_duration_seconds',
      'Time of one insert into the tables.',
      ['topic'],
      INSERT_SECONDS,
    ),
    derivations: histogram(
      'spoor_derivation_duration_seconds',
      'Time to bring one kind of derived facts up to what is settled.',
      ['derivation'],
      DERIVE_SECONDS,
    ),
  };
};

/** What alerts watch for its first: a counter that begins at 1 has not increased for Prometheus. */
const beginAtZero = ({ deadLetters, settlements }: ReturnType<typeof createCounters>): void => {
  for (const { name: topic } of TOPICS) deadLetters.inc({ topic }, 0);
  for (const outcome of ['settled', 'failed', 'unknown']) settlements.inc({ outcome }, 0);
};

type Watches = Pick<Metrics, 'watchParts' | 'watchNewestBlocks' | 'watchLog' | 'watchSinkLag' | 'watchWaits'>;

const createCounting = (registry: Registry): Omit<Metrics, keyof Watches | 'expose'> => {
  const counters = createCounters([registry]);
  beginAtZero(counters);
  const gauges = createGauges([registry]);
  const histograms = createHistograms([registry]);
  return {
    observeRequest: ({ method, route, status, durationSeconds }) =>
      histograms.requests.observe({ method, route, status: `${status}` }, durationSeconds),
    blockIngested: ({ chain, movements }) => {
      counters.blocks.inc({ chain });
      counters.movements.inc({ chain }, movements);
    },
    chainAt: ({ chain, head, indexed }) => {
      gauges.head.set({ chain }, head);
      gauges.indexed.set({ chain }, indexed);
    },
    batchInserted: ({ topic, records, bytes, durationSeconds }) => {
      counters.records.inc({ topic }, records);
      counters.bytes.inc({ topic }, bytes);
      histograms.inserts.observe({ topic }, durationSeconds);
    },
    deadLetter: ({ topic }) => counters.deadLetters.inc({ topic }),
    derived: ({ derivation, durationSeconds }) =>
      histograms.derivations.observe({ derivation }, durationSeconds),
    questionAsked: ({ outcome, durationSeconds }) =>
      histograms.questions.observe({ outcome }, durationSeconds),
    reservationEnded: (outcome) => counters.reservations.inc({ outcome }),
    settlementEnded: (outcome) => counters.settlements.inc({ outcome }),
    retried: (what) => counters.retries.inc({ what }),
  };
};

const createWatches = (registry: Registry): Watches => {
  const watched = <L extends string>(name: string, help: string, labelNames: L[]) =>
    watchedGauge(registry, { name, help, labelNames });
  const newest = watched(
    'spoor_chain_newest_block_timestamp_seconds',
    'When the newest block in the tables was made.',
    ['chain', 'finality'],
  );
  const lag = watched(
    'spoor_sink_lag_records',
    'Records of the event log not yet in the tables; on brokers at most so many.',
    [],
  );
  const waits = watched('spoor_waiting_for', '1 while the process waits for a part of the service.', [
    'part',
  ]);
  const parts = watched('spoor_table_parts', 'Active parts of a table.', ['table']);
  const logBytes = watched('spoor_log_bytes', 'Bytes of the embedded event log, by where they are.', [
    'place',
  ]);
  return {
    watchParts: (read) => parts(async () => [...(await read())].map(([table, count]) => [{ table }, count])),
    watchNewestBlocks: (read) =>
      newest(async () =>
        (await read()).map(({ chain, finality, timeUnixSeconds }) => [{ chain, finality }, timeUnixSeconds]),
      ),
    watchSinkLag: (read) => lag(async () => [[{}, await read()]]),
    watchWaits: (read) => waits(async () => read().map((part) => [{ part }, 1])),
    watchLog: (read) =>
      logBytes(async () => {
        const { queuedBytes, walBytes, fileBytes } = read();
        const places = { queue: queuedBytes, write_ahead: walBytes, file: fileBytes };
        return Object.entries(places).flatMap(([place, bytes]) =>
          bytes === undefined ? [] : [[{ place }, bytes]],
        );
      }),
  };
};

/** A registry of its own for each call, so that tests and processes with several services do not share numbers. */
export const createMetrics = (): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    ...createCounting(registry),
    ...createWatches(registry),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};

import { expect, test } from 'vitest';
import type { ApiMiddleware } from '../../api/context.ts';
import { createReadyzHandler } from '../../api/operations/handlers.ts';
import { createStatusHandler } from '../../api/status/handler.ts';
import { createStatusReader } from '../../api/status/read-status.ts';
import { Books } from '../../credits/books.ts';
import { openLedgerCodec } from '../../credits/ledger-codec.ts';
import { openHistoryEvents } from '../../events/history-events.ts';
import { openReferenceEvents } from '../../events/reference-events.ts';
import { systemClock } from '../../platform/clock.ts';
import { loadConfig } from '../../platform/config/config.ts';
import type { AppendRecord } from '../../platform/event-log/event-log.ts';
import { createLogger } from '../../platform/logger.ts';
import { openJobCodec } from '../../retrace/job-codec.ts';
import type { JobEvent } from '../../retrace/job-events.ts';
import { createPages } from '../../retrace/pages.ts';
import { askAnalyst } from '../../testing/ask-analyst.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { blockOf, SinkStage } from '../../testing/sink-stage.ts';
import { makeViews } from '../../warehouse/analyst/make-views.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import { createStatusProbes } from '../api/status-probes.ts';
import { createMetrics } from '../create-metrics.ts';
import { runSinks } from './run-sinks.ts';
import { RETRACE_RESULT_GROUP, RETRACE_RESULT_TOPICS, startRetraceResults } from './start-retrace-results.ts';

const stage = new SinkStage({ ownEngine: true });

const ledgerEvent = async (): Promise<AppendRecord[]> => {
  const codec = await openLedgerCodec(stage.store.registry);
  const entries = new Books().handle('account:a', { type: 'AddCredits', id: 'pack', credits: 5 }, 1_000);
  return entries.map((entry) => ({
    topic: 'ledger.events',
    key: entry.payer,
    value: codec.encodeEntry(entry),
  }));
};
const description = async (): Promise<AppendRecord[]> => {
  const references = await openReferenceEvents(stage.store.registry);
  return [references.describe({ chain: 'solana', asset: 'token', symbol: 'TKN', decimals: 6 })];
};
const listing = async (): Promise<AppendRecord[]> => {
  const histories = await openHistoryEvents(stage.store.registry);
  const window = {
    ...{ chain: 'solana', address: 'w', kinds: ['sent' as const], asset: null, first: 1, last: 2 },
    ...{ lastUnixSeconds: null, source: 'solana-node', proof: 'listed' as const, reason: null },
    ...{ transactions: 0, readAtUnixSeconds: 1 },
  };
  return [histories.listed(window)];
};
// Older ones are forgotten.
const FOUND_UNIX_MS = Math.floor(Date.now() / 1_000) * 1_000;
const WALLET = `0x${'Ab'.repeat(20)}`;
const SERVICE = `0x${'2'.repeat(40)}`;
const anchor = { wallet: WALLET, counterparty: SERVICE, signature: `0x${'3'.repeat(64)}`, direction: 'out' };
const meta = { scope: 'full', calibration: 'c', data_from: null, index_head: null };
const candidate = {
  ...{ address: `0x${'Cd'.repeat(20)}`, signature: `0x${'4'.repeat(64)}`, confidence: 0.25, label: null },
  ...{ amount: 1.5, amount_raw: '1500000000000000000', asset: 'ETH', time: 1_700_000_060, delta_seconds: 60 },
  ...{ via: null, same_wallet: false, evidence: [{ family: 'gas' }, { family: 'amount' }] },
};
const traced = (place: number, candidates: readonly object[]) => ({
  ...{ place, anchor },
  answer: { entity: 'Murk', kind: 'mixer', anonymity_set: 9, candidates_total: 2, candidates, meta },
});
const refused = (place: number, code: string) => ({
  ...{ place, anchor, refused: { code, field: '', message: '' } },
});

/** A job whose first anchor is charged, its third not, and of which a second run changed one that is free. */
const jobEvents = async (): Promise<AppendRecord[]> => {
  const codec = await openJobCodec(stage.store.registry);
  const pages = createPages({ log: stage.store.log, codec });
  const write = (...items: Parameters<typeof pages.write>[1]) => pages.write('j', items);
  const all = [traced(0, [candidate, { ...candidate, label: 'Till' }]), refused(1, 'timeout')];
  const pieces = await write(...all, traced(2, [candidate]), traced(3, []));
  const changes = await write(refused(1, 'nothing_to_trace'));
  const wave = { first: 0, count: 4, pieces, refused: 1, deadlineUnixMs: 9, ledgerOffset: 0 };
  const events: JobEvent[] = [
    { type: 'WaveTraced', run: 1, ...wave, changes: [], priced: [0, 2] },
    { type: 'WaveCharged', run: 1, first: 0, charged: [0] },
    { type: 'WaveTraced', run: 2, ...wave, changes, priced: [2] },
  ];
  return events.map((event) => {
    const entry = { jobId: 'j', accountId: 'a', atUnixMs: FOUND_UNIX_MS, event };
    return { topic: 'retrace.jobs', key: 'j', value: codec.events.encode(entry) };
  });
};
/** As if the page of the third had been deleted. */
const lostPage = async (): Promise<AppendRecord> => {
  const codec = await openJobCodec(stage.store.registry);
  const pieces = [{ partition: 0, offset: 1_000_000, first: 0, count: 1 }];
  const wave = { first: 0, count: 1, pieces, refused: 0, deadlineUnixMs: 9, ledgerOffset: 0 };
  const event: JobEvent = { type: 'WaveTraced', run: 1, ...wave, changes: [], priced: [] };
  const value = codec.events.encode({ jobId: 'lost', accountId: 'a', atUnixMs: 1, event });
  return { topic: 'retrace.jobs', key: 'lost', value };
};

const block = (): AppendRecord[] =>
  stage.encoded(blockOf(1)).map((value) => ({ topic: 'transfers.history', key: 'solana', value }));

const serviceOf = (metrics: ReturnType<typeof createMetrics>) => {
  const closings: (() => Promise<void>)[] = [];
  return {
    service: {
      ...{ config: loadConfig({}), logger: createLogger({ level: 'silent' }), metrics },
      closing: (_name: string, _order: number, close: () => Promise<void>) => void closings.push(close),
      fail: (error: unknown) => {
        throw error;
      },
    },
    close: async (): Promise<void> => void (await Promise.all(closings.map((close) => close()))),
  };
};

test.each<[table: string, events: () => AppendRecord[] | Promise<AppendRecord[]>]>([
  ['blocks', block],
  // The service brings its own.
  ['labels', () => []],
  ['asset_claims', description],
  ['listed_windows', listing],
  ['ledger_entries', ledgerEvent],
  ['retrace_results', jobEvents],
])('while the table %s alone cannot be filled, that is said, and no longer', async (table, events) => {
  const { store, warehouse } = stage;
  const rename = (query: string) => warehouse.writer.command({ query: `RENAME TABLE ${query}` });
  await store.log.append(await events());
  await rename(`${table} TO away`);
  const { service, close } = serviceOf(createMetrics());
  const sinks = await runSinks(service, store, warehouse);
  try {
    await expect.poll(sinks.waitsSinceUnixMs, PATIENCE).not.toBeNull();
    await rename(`away TO ${table}`);
    await expect.poll(sinks.waitsSinceUnixMs, PATIENCE).toBeNull();
  } finally {
    await close();
  }
});

test('an insert that the tables neither take nor refuse is told by /status, /readyz and a metric until they take it', async () => {
  const { store, warehouse } = stage;
  const held = Promise.withResolvers<void>();
  const metrics = createMetrics();
  const { service, close } = serviceOf(metrics);
  const sinks = await runSinks(service, store, {
    ...warehouse,
    // As a cluster does of whose replicas too few are there.
    insertBody: (insert) => held.promise.then(() => warehouse.insertBody(insert)),
  });
  const status = createStatusReader(
    createStatusProbes({
      ...{ store, warehouse, sink: sinks, progress: [], configured: [], gaps: new Map(), chains: [] },
      ...{ clock: systemClock, billing: null, payments: null, derivation: null },
    }),
    systemClock,
  );
  const answer = async (handler: ApiMiddleware): Promise<unknown> => {
    const ctx = {} as { body: unknown };
    await handler(ctx as never, async () => {});
    return ctx.body;
  };
  const told = async () => ({
    status: await answer(createStatusHandler({ readStatus: status, version: '1', isOpen: null })),
    ready: await answer(createReadyzHandler({ readStatus: status, isClosing: () => false })),
    seconds: Number(/^spoor_sink_waiting_seconds (\S+)$/m.exec((await metrics.expose()).text)?.[1]),
  });
  const since = { inserts_wait_since: expect.any(Number) };
  const calm = {
    status: expect.not.objectContaining(since),
    ready: { ready: true, stalled: [] },
    seconds: 0,
  };
  try {
    await store.log.append(await block());
    await expect.poll(told, PATIENCE).toMatchObject({
      status: { status: 'degraded', components: { warehouse: 'degraded' }, ...since },
      ready: { ready: true, ...since },
    });
    expect((await told()).seconds).toBeGreaterThan(0);
    held.resolve();
    await expect.poll(told, PATIENCE).toEqual(calm);
  } finally {
    held.resolve();
    await close();
  }
});

test('analysts ask what jobs found once it is free or charged, each row once, though events come twice', async () => {
  const { store, warehouse } = stage;
  await makeViews(warehouse);
  const letters: unknown[] = [];
  const metrics = { deadLetter: (letter: unknown) => void letters.push(letter) };
  const drain = async (): Promise<void> => {
    const logger = createLogger({ level: 'silent' });
    const sink = startRetraceResults({ store, warehouse, logger, metrics });
    const lag = () => readLag(store.log, RETRACE_RESULT_GROUP, RETRACE_RESULT_TOPICS);
    await Promise.race([expect.poll(lag, PATIENCE).toBe(0), sink.ended]);
    await sink.stop();
  };
  const [first, ...others] = await jobEvents();
  await store.log.append([...(first ? [first] : []), await lostPage(), ...others]);
  await drain();
  const shown = () => askAnalyst(warehouse, 'SELECT * FROM retrace_results ORDER BY run, place, rank');
  const nothing = (columns: number) => Array<null>(columns).fill(null);
  const foundTime = new Date(FOUND_UNIX_MS).toISOString().slice(0, 19).replace('T', ' ');
  const asked = ['ethereum', WALLET.toLowerCase(), SERVICE, anchor.signature, 'out'];
  const head = (...at: unknown[]) => ['j', ...at, foundTime, ...asked];
  const found = [null, 'Murk', 'mixer', 'full', 9, 2];
  const who = [
    candidate.address.toLowerCase(),
    0.25,
    1.5,
    candidate.amount_raw,
    'ETH',
    '2023-11-14 22:14:20',
  ];
  const where = ['60', candidate.signature];
  const expected = [
    [...head(1, 0, 1), ...found, ...who, ...where, null, null, false, ['gas', 'amount']],
    [...head(1, 0, 2), ...found, ...who, ...where, 'Till', null, false, ['gas', 'amount']],
    [...head(1, 1, null), 'timeout', ...nothing(16), []],
    [...head(1, 3, null), ...found, ...nothing(11), []],
    [...head(2, 1, null), 'nothing_to_trace', ...nothing(16), []],
  ];
  expect(await shown()).toEqual(expected);
  expect(letters).toEqual([expect.objectContaining({ topic: 'retrace.jobs' })]);
  await store.log.forgetGroup(RETRACE_RESULT_GROUP);
  await drain();
  expect(await shown()).toEqual(expected);
});

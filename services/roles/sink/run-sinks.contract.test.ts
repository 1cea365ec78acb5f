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
import { PATIENCE } from '../../testing/patience.ts';
import { blockOf, SinkStage } from '../../testing/sink-stage.ts';
import { createStatusProbes } from '../api/status-probes.ts';
import { createMetrics } from '../create-metrics.ts';
import { runSinks } from './run-sinks.ts';

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

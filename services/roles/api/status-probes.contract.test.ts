import { describe, expect, onTestFinished, test } from 'vitest';
import { createReadyzHandler } from '../../api/operations/handlers.ts';
import { createStatusReader } from '../../api/status/read-status.ts';
import { createWorld } from '../../demo-world/create-world.ts';
import { serveWorld } from '../../demo-world/rpc/serve-world.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { createLogger } from '../../platform/logger.ts';
import { startEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { blockOf, SinkStage } from '../../testing/sink-stage.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createMetrics } from '../create-metrics.ts';
import { startIngest } from '../ingest/start-ingest.ts';
import { createStatusProbes } from './status-probes.ts';

const stage = new SinkStage();
const NOON = 1_700_000_000;
const at = (chain: string, number: number, timeUnixSeconds: number): DecodedBlock => ({
  ...blockOf(number),
  chain,
  timeUnixSeconds,
});

/** What a process that follows nothing itself, as the API is where roles are processes, says of chains. */
const watching = (...configured: { name: 'solana' | 'ethereum'; commitment: 'finalized' | 'latest' }[]) => {
  const clock = { now: NOON, nowUnixMs: () => clock.now * 1_000 };
  const nothing = { sink: null, billing: null, payments: null, derivation: null };
  const { store, warehouse } = stage;
  const chains = ['solana', 'ethereum'];
  const probes = createStatusProbes({
    store,
    warehouse,
    progress: [],
    gaps: new Map([['solana', 2]]),
    chains,
    configured,
    clock,
    ...nothing,
  });
  return { clock, chains: probes.chains };
};

describe('a process that follows no chain itself', () => {
  test('says of those that others follow how old their newest block is, and of a head nothing', async () => {
    await stage.append(stage.encoded(at('solana', 100, NOON - 90)));
    await stage.drain();
    const { clock, chains } = watching({ name: 'solana', commitment: 'finalized' });
    const solana = { chain: 'solana', head: null, indexed: 100, finality: 'finalized', trouble: null };
    expect(await chains()).toEqual([
      {
        ...solana,
        lagSeconds: 90,
        stillSeconds: 90,
        isStalled: false,
        traces: null,
        tracesMissing: null,
        partial: null,
        gaps: 2,
      },
    ]);
    clock.now += 31;
    expect(await chains()).toMatchObject([{ lagSeconds: 121, stillSeconds: 121, isStalled: true }]);
  });

  test('names also those of which there is no block yet, in the finality that they are taken', async () => {
    const { clock, chains } = watching({ name: 'ethereum', commitment: 'latest' });
    const none = { chain: 'ethereum', head: null, indexed: null, finality: 'latest', lagSeconds: null };
    expect(await chains()).toMatchObject([{ ...none, stillSeconds: 0, isStalled: false }]);
    clock.now += 121;
    expect(await chains()).toMatchObject([{ ...none, stillSeconds: 121, isStalled: true }]);
  });

  test('does not take a history that is being caught up with for a chain that stands still', async () => {
    const { clock, chains } = watching({ name: 'solana', commitment: 'finalized' });
    for (const number of [100, 101]) {
      await stage.append(stage.encoded(at('solana', number, NOON - 86_400)));
      await stage.drain();
      clock.now += 60;
      await chains();
    }
    expect(await chains()).toMatchObject([{ indexed: 101, stillSeconds: 0, isStalled: false }]);
    expect((await chains())[0]?.lagSeconds).toBeGreaterThan(86_000);
  });

  test('calls finality that moves in steps neither late nor still within its step', async () => {
    await stage.append(stage.encoded(at('ethereum', 100, NOON - 1_500)));
    await stage.drain();
    const { clock, chains } = watching({ name: 'ethereum', commitment: 'finalized' });
    expect(await chains()).toMatchObject([{ lagSeconds: null, stillSeconds: 0, isStalled: false }]);
    clock.now += 1_201;
    expect(await chains()).toMatchObject([{ lagSeconds: null, stillSeconds: 1_201, isStalled: true }]);
  });

  test('says nothing of the head of chains that came from files', async () => {
    await stage.append(stage.encoded(at('solana', 100, NOON - 86_400)));
    await stage.drain();
    expect(await watching().chains()).toMatchObject([
      { chain: 'solana', head: null, indexed: 100, lagSeconds: null, stillSeconds: null, isStalled: false },
    ]);
  });
});

test('a head that does not move any more fails readiness by name, after as long as such a chain never stands still', async () => {
  const world = createWorld({ seed: 5, people: 8, days: 1, blockSeconds: 1_800 });
  const served = await serveWorld(world);
  onTestFinished(served.close);
  const { first, last } = world.range.solana ?? { first: 0, last: 0 };
  const clock = { now: NOON, nowUnixMs: () => clock.now * 1_000 };
  const chain = { name: 'solana', rpcUrls: [`${served.url}/solana`], websocketUrl: null, isLive: true };
  const ingest = startIngest({
    store: stage.store,
    chains: [{ ...chain, commitment: 'finalized', start: first }],
    logger: createLogger({ level: 'silent' }),
    metrics: createMetrics(),
    clock,
  });
  onTestFinished(ingest.stop);
  const probes = createStatusProbes({
    ...{ store: stage.store, warehouse: stage.warehouse, progress: ingest.progress, chains: ['solana'] },
    ...{
      configured: [],
      gaps: new Map<string, number>(),
      clock,
      sink: null,
      billing: null,
      payments: null,
      derivation: null,
    },
  });
  const readStatus = createStatusReader(probes, clock);
  const ready = async () => {
    // All of a request's context that this handler touches.
    const ctx = {} as { status: number; body: unknown };
    await createReadyzHandler({ readStatus, isClosing: () => false })(ctx as never, async () => {});
    return { status: ctx.status, body: ctx.body };
  };
  await expect.poll(() => ingest.progress[0]?.indexed, PATIENCE).toBe(last);
  clock.now += 120;
  expect(await ready()).toEqual({ status: 200, body: { ready: true, stalled: [] } });
  clock.now += 1;
  expect(await ready()).toEqual({ status: 503, body: { ready: false, stalled: ['solana'] } });
});

test('an engine that was killed and is back is told for a minute, and then all is well', async () => {
  const warehouse = await startEmbeddedWarehouse({ folder: temporaryFolder(), database: 'spoor' });
  onTestFinished(() => warehouse.close());
  const clock = { passedMs: 0, nowUnixMs: () => Date.now() + clock.passedMs };
  const probes = createStatusProbes({
    ...{ store: stage.store, warehouse, progress: [], chains: [], configured: [], clock },
    ...{ gaps: new Map<string, number>(), sink: null, billing: null, payments: null, derivation: null },
  });
  expect(await probes.warehouse()).toBe('ok');
  process.kill(warehouse.pid, 'SIGKILL');
  await expect.poll(probes.warehouse, PATIENCE).toBe('degraded');
  expect((await warehouse.reader.ping({ select: true })).success).toBe(true);
  clock.passedMs = 60_000;
  expect(await probes.warehouse()).toBe('ok');
});

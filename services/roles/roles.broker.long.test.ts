import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CHAINS } from '../investigate/model/chain.ts';
import { openKafkaLog } from '../platform/event-log/kafka/open-kafka-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';
import { describeOnEngines } from '../testing/engines/describe-on-engines.ts';
import { startBroker } from '../testing/engines/start-engines.ts';
import { PATIENCE } from '../testing/patience.ts';
import { PROGRAMS, type Program, startProgram } from '../testing/run-program.ts';
import { startGatedChains } from '../testing/service/gated-chains.ts';
import {
  listeningAt,
  metricsOf,
  startOf,
  statusOf,
  untilIndexed,
  urlOf,
} from '../testing/service/running-service.ts';
import { stage, startAtGate, startTables, untilGate } from '../testing/service/service-on-brokers.ts';
import { mountSmallDisk } from '../testing/service/small-disk.ts';
import { startProxy } from '../testing/service/warehouse-server.ts';
import { watchFaults } from '../testing/service/watch-faults.ts';
import { sumTables, sumTablesIn } from '../testing/table-sums.ts';

const TIMEOUT_MS = 300_000;
const BROKER_AWAY_MS = 3_000;
const TABLES_AWAY_MS = 60_000;
const DISK_FULL_MS = 3_000;
const NODES_TROUBLED_MS = 1_000;

/** What can never be read, between blocks that can. */
const appendPoison = async (env: { KAFKA_BROKERS: string; KAFKA_PREFIX: string }): Promise<void> => {
  const log = await openKafkaLog({
    ...{ brokers: [env.KAFKA_BROKERS], prefix: env.KAFKA_PREFIX, topics: TOPICS },
    ...{ maxQueuedBytes: 1 << 20, maxRecordBytes: 1 << 20 },
  });
  const partition = CHAINS.findIndex(({ name }) => name === 'solana');
  const value = Buffer.from('no record of ours');
  await log.append([{ topic: 'transfers.head', key: 'solana', partition, value }]);
  await log.close();
};

describeOnEngines('the service on a real broker and registry', ({ brokers, registryUrl }) => {
  const watch = watchFaults();

  test('started without its registry and left by its broker amid the blocks, it says so, and ends with the same tables', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const broker = await startBroker();
    onTestFinished(() => broker[Symbol.asyncDispose]());
    const registry = new URL(registryUrl);
    const proxy = await startProxy(Number(registry.port));
    onTestFinished(proxy.close);
    registry.port = String(proxy.port);
    const chains = await startGatedChains();
    const env = await stage({ brokers: broker.brokers, registryUrl: registry.href }, chains);

    proxy.cut();
    const server = startProgram(PROGRAMS.server, [], env);
    const url = await listeningAt(server);
    await expect
      .poll(() => startOf(url), PATIENCE)
      .toMatchObject({
        ...{ status: 503, ready: 503, live: 200, follow: 503, retryAfter: '10' },
        components: { event_log: 'down', warehouse: 'starting', ledger: 'starting' },
        waitingFor: ['schema_registry'],
      });
    expect((await startOf(url)).text).not.toContain(registry.host);
    proxy.mend();
    expect(await urlOf(server)).toBe(url);
    await untilGate(url);
    const kill = async (): Promise<void> => {
      await broker.kill('SIGKILL');
      chains.open();
    };
    await watch.during({
      ...{ program: server, url, begin: kill, lastsMs: BROKER_AWAY_MS, end: () => broker.restart() },
      says: { event_log: 'down', warehouse: 'ok' },
    });
    await untilIndexed(url);
    await expect
      .poll(() => statusOf(url), PATIENCE)
      .toMatchObject({ status: 'ok', components: { event_log: 'ok', ledger: 'ok' } });
    watch.atEnd([server], () => sumTablesIn(join(env.SPOOR_DATA, 'chain', 'warehouse')));
  });

  test('while the tables are out of reach for a minute amid the blocks, the brokers take what comes, and it says so', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const chains = await startGatedChains();
    const tables = await startTables();
    const { server, url } = await startAtGate({ brokers, registryUrl }, chains, tables.env);
    const cut = (): void => {
      tables.cut();
      chains.open();
    };
    await watch.during({
      ...{ program: server, url, begin: cut, lastsMs: TABLES_AWAY_MS, end: tables.mend },
      says: { event_log: 'ok', warehouse: 'down' },
    });
    await untilIndexed(url);
    watch.atEnd([server], () => sumTables(tables.writer));
  });

  test('while the disk of the tables is full the brokers take what comes, and it says so', {
    timeout: TIMEOUT_MS,
  }, async (context) => {
    const disk = mountSmallDisk(context);
    const chains = await startGatedChains();
    const tables = await startTables(disk.folder);
    const { server, url } = await startAtGate({ brokers, registryUrl }, chains, tables.env);
    const fill = (): void => {
      disk.fill(0);
      chains.open();
    };
    await watch.during({
      ...{ program: server, url, begin: fill, lastsMs: DISK_FULL_MS, end: disk.free },
      says: { event_log: 'ok', warehouse: 'degraded' },
    });
    expect(server.stderr() + server.stdout()).toMatch(/not enough space|no space left/i);
    await untilIndexed(url);
    watch.atEnd([server], () => sumTables(tables.writer));
  });

  test('while nodes limit the rate or cut their answers short, and behind a record that nobody can read, it says what is wrong, and misses no block', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const chains = await startGatedChains();
    const { env, server, url } = await startAtGate({ brokers, registryUrl }, chains);
    await appendPoison(env);
    const trouble = 'not_json';
    await watch.during({
      ...{ program: server, url, lastsMs: NODES_TROUBLED_MS },
      begin: () => chains.answer('cut_short'),
      end: () => chains.answer('rate_limited'),
      says: { event_log: 'ok', warehouse: 'ok', chains: [{ trouble }, { trouble }] },
    });
    await untilGate(url);
    chains.open();
    await untilIndexed(url);
    const metrics = await metricsOf(server);
    expect(metrics).toMatch(/^spoor_dead_letters_total\{topic="transfers\.head"\} 1$/m);
    watch.atEnd([server], () => sumTablesIn(join(env.SPOOR_DATA, 'chain', 'warehouse')));
  });

  test('others stand by while one sink lives; what sleeps past its session, a sink amid an insert or who follows chains, fails when it wakes, and doubles nothing', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const chains = await startGatedChains();
    const tables = await startTables();
    const env = { ...(await stage({ brokers, registryUrl }, chains)), ...tables.env };
    const start = (...roles: string[]): Program => startProgram(PROGRAMS.cli, ['start', ...roles], env);

    const first = start('sink');
    await urlOf(first);
    const second = start('sink');
    const url = await urlOf(second);
    watch.observe(second);
    const held = tables.hold('block_transfers_in');
    const ingest = start('ingest-solana', 'ingest-evm');
    await untilGate(await urlOf(ingest));
    await held;
    // What an insert is amid of nobody calls stored.
    const indexed = (await statusOf(url)).components.chains.map((chain) => chain.indexed);
    expect(indexed).toContain(null);
    for (const sleeper of [first, ingest]) sleeper.process.kill('SIGSTOP');
    // Each follows one of the chains that the sleeping process followed.
    const others = [start('ingest-solana'), start('ingest-evm')];
    chains.open();
    await untilIndexed(url);
    // The insert of the sleeping sink arrives after all that its successor inserted.
    tables.release();
    for (const sleeper of [first, ingest]) sleeper.process.kill('SIGCONT');
    for (const sleeper of [first, ingest])
      expect(await sleeper.ended, sleeper.stderr()).toEqual({ code: 1, signal: null });
    // Whichever of its groups it asks about first.
    expect(first.stderr()).toMatch(/another member of group (sink|labels|references|ledger-sink) took over/);
    expect(ingest.stderr()).toMatch(/another member of group head-(solana|ethereum) took over/);
    watch.atEnd([second, ...others], () => sumTables(tables.writer));
  });
});

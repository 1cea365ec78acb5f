import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { describeOnEngines } from '../testing/engines/describe-on-engines.ts';
import { startBroker } from '../testing/engines/start-engines.ts';
import { PROGRAMS, type Program, runProgram, startProgram } from '../testing/run-program.ts';
import { type GatedChains, startGatedChains } from '../testing/service/gated-chains.ts';
import { statusOf, stopProgram, untilIndexed, urlOf } from '../testing/service/running-service.ts';
import { ofBlocks, undisturbedTables } from '../testing/service/undisturbed-tables.ts';
import { startProxy, startWarehouseServer } from '../testing/service/warehouse-server.ts';
import { sumTables, sumTablesIn } from '../testing/table-sums.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { DATABASE } from './store/database.ts';

const PATIENCE = { timeout: 60_000, interval: 100 };
const MIB = 1 << 20;
const TIMEOUT_MS = 300_000;
const AWAY_MS = 3_000;

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

/** The environment of programs on these engines, whose topics nobody else uses. */
const stage = async (engines: { brokers: string; registryUrl: string }, chains: GatedChains) => {
  const env = {
    ...chains.env,
    KAFKA_BROKERS: engines.brokers,
    SCHEMA_REGISTRY_URL: engines.registryUrl,
    KAFKA_PREFIX: `${randomUUID()}.`,
    SPOOR_DATA: temporaryFolder(),
    SPOOR_PORT: '0',
  };
  const { code, stderr } = await runProgram(PROGRAMS.cli, ['topics', 'apply'], env);
  expect(code, stderr).toBe(0);
  return env;
};

describeOnEngines('the service on a real broker and registry', ({ brokers, registryUrl }) => {
  test('started without its registry and left by its broker amid the blocks, it says so, and ends with the same tables', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const expected = await undisturbedTables();
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
    await server.printed(/registry_unreachable/);
    proxy.mend();
    const url = await urlOf(server);
    await expect
      .poll(async () => (await statusOf(url)).components.chains.map(({ trouble }) => trouble), PATIENCE)
      .toEqual(['rate_limited', 'rate_limited']);
    const before = rssOf(server.pid);

    await broker.kill('SIGKILL');
    chains.open();
    await expect
      .poll(() => statusOf(url), PATIENCE)
      .toMatchObject({ status: 'degraded', components: { event_log: 'down', warehouse: 'ok' } });
    await sleep(AWAY_MS);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
    expect(rssOf(server.pid) - before).toBeLessThan(60 * MIB);
    await broker.restart();
    await untilIndexed(url);
    await expect
      .poll(() => statusOf(url), PATIENCE)
      .toMatchObject({ status: 'ok', components: { event_log: 'ok', ledger: 'ok' } });
    await stopProgram(server);
    expect(ofBlocks(await sumTablesIn(join(env.SPOOR_DATA, 'chain', 'warehouse')))).toEqual(expected);
  });

  test('others stand by while one sink lives; what sleeps past its session, a sink amid an insert or who follows chains, fails when it wakes, and doubles nothing', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const expected = await undisturbedTables();
    const chains = await startGatedChains();
    const tables = await startWarehouseServer(temporaryFolder(), DATABASE);
    onTestFinished(() => tables.stop());
    const env = { ...(await stage({ brokers, registryUrl }, chains)), ...tables.env };
    const start = (...roles: string[]): Program => startProgram(PROGRAMS.cli, ['start', ...roles], env);

    const first = start('sink');
    await urlOf(first);
    const standingBy = start('sink');
    await urlOf(standingBy);
    await stopProgram(standingBy);
    tables.cut();
    const ingest = start('ingest-solana', 'ingest-evm');
    // It has said in the log what it is about to insert.
    await first.printed(/out of reach; the log keeps what comes/);
    first.process.kill('SIGSTOP');
    tables.mend();
    ingest.process.kill('SIGSTOP');
    const second = start('sink');
    // Each follows one of the chains that the sleeping process followed.
    const others = [start('ingest-solana'), start('ingest-evm')];
    const url = await urlOf(second);
    chains.open();
    await untilIndexed(url);
    for (const slept of [first, ingest]) slept.process.kill('SIGCONT');
    for (const slept of [first, ingest])
      expect(await slept.ended, slept.stderr()).toEqual({ code: 1, signal: null });
    expect(first.stderr()).toContain('another member of group sink took over');
    expect(ingest.stderr()).toMatch(/another member of group head-(solana|ethereum) took over/);
    await Promise.all([second, ...others].map(stopProgram));
    expect(ofBlocks(await sumTables(tables.writer))).toEqual(expected);
  });
});

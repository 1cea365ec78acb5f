import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CHAINS } from '../investigate/model/chain.ts';
import { openKafkaLog } from '../platform/event-log/kafka/open-kafka-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';
import { describeOnEngines } from '../testing/engines/describe-on-engines.ts';
import { runCommand } from '../testing/run-command.ts';
import { PROGRAMS, type Program, startProgram } from '../testing/run-program.ts';
import { startGatedChains } from '../testing/service/gated-chains.ts';
import {
  listeningAt,
  metricsOf,
  startOf,
  statusOf,
  stopProgram,
  untilIndexed,
  urlOf,
} from '../testing/service/running-service.ts';
import { ofBlocks, undisturbedTables } from '../testing/service/undisturbed-tables.ts';
import { startProxy } from '../testing/service/warehouse-server.ts';
import { sumTablesIn } from '../testing/table-sums.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { ROLES, type Role } from './service-process.ts';

const PATIENCE = { timeout: 60_000, interval: 100 };
const MIB = 1 << 20;
const TIMEOUT_MS = 300_000;

describeOnEngines('roles as processes of their own, on a real broker and registry', (engines) => {
  const prefix = `${randomUUID()}.`;
  const { brokers, registryUrl } = engines;

  /** What can never be read, between blocks that can. */
  const appendPoison = async (): Promise<void> => {
    const limits = { maxQueuedBytes: MIB, maxRecordBytes: MIB };
    const log = await openKafkaLog({ brokers: [brokers], prefix, topics: TOPICS, ...limits });
    const partition = CHAINS.findIndex(({ name }) => name === 'solana');
    const value = Buffer.from('no record of ours');
    await log.append([{ topic: 'transfers.head', key: 'solana', partition, value }]);
    await log.close();
  };

  test('what some read from chains, past a record that nobody can, one stores, one derives from, one answers from and one charges for', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const expected = await undisturbedTables();
    const chains = await startGatedChains();
    const registry = new URL(registryUrl);
    const proxy = await startProxy(Number(registry.port));
    onTestFinished(proxy.close);
    registry.port = String(proxy.port);
    const env = {
      ...chains.env,
      KAFKA_BROKERS: brokers,
      SCHEMA_REGISTRY_URL: registry.href,
      KAFKA_PREFIX: prefix,
      SPOOR_DATA: temporaryFolder(),
      SPOOR_PORT: '0',
    };
    const command = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runCommand(args, env);
      expect(code, stderr).toBe(0);
      return stdout.trim();
    };
    const actions = async (): Promise<Set<string>> => {
      const lines = (await command('topics', 'apply', '--json')).split('\n');
      return new Set(lines.map((line) => (JSON.parse(line) as { action: string }).action));
    };
    expect(await actions()).toEqual(new Set(['created']));
    expect(await actions()).toEqual(new Set(['unchanged']));

    proxy.cut();
    const started = ROLES.map((role) => [role, startProgram(PROGRAMS.cli, ['start', role], env)] as const);
    const programs = Object.fromEntries(started) as Record<Role, Program>;
    // Each by itself says what it waits for, and goes on when that is there.
    for (const program of Object.values(programs))
      await expect
        .poll(async () => startOf(await listeningAt(program)), PATIENCE)
        .toMatchObject({ status: 503, waitingFor: ['schema_registry'], components: { event_log: 'down' } });
    proxy.mend();
    const [api, ingest] = [await urlOf(programs.api), await urlOf(programs['ingest-solana'])];
    await expect
      .poll(async () => (await statusOf(api)).components.chains.map(({ chain }) => chain), PATIENCE)
      .toEqual(['solana', 'ethereum']);
    await appendPoison();
    chains.open();
    await untilIndexed(api);
    expect((await statusOf(ingest)).components).toMatchObject({
      event_log: 'ok',
      warehouse: 'off',
      chains: [{ chain: 'solana', trouble: null }],
    });
    const metrics = await metricsOf(programs.sink);
    expect(metrics).toMatch(/^spoor_dead_letters_total\{topic="transfers\.head"\} 1$/m);
    expect(metrics).toMatch(
      /^spoor_chain_newest_block_timestamp_seconds\{chain="solana",finality="finalized"\} \d+$/m,
    );
    await expect
      .poll(() => metricsOf(programs.derive), PATIENCE)
      .toMatch(/^spoor_derivation_duration_seconds_count\{derivation="first-funders"\} [1-9]/m);
    // Of heads the API hears nothing; that these blocks are old it sees.
    const old = { head: null, finality: 'finalized', trouble: null, lag_seconds: expect.any(Number) };
    expect((await statusOf(api)).components.chains).toMatchObject([
      { chain: 'solana', ...old },
      { chain: 'ethereum', ...old, lag_seconds: null },
    ]);

    const account = JSON.parse(await command('accounts', 'open', 'Example', '--json')) as {
      account_id: string;
    };
    const key = await command('keys', 'issue', account.account_id);
    const follow = () =>
      fetch(`${api}/follow`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ address: '0x00000000000000000000000000000000000000aa', chain: 'ethereum' }),
      });
    await expect.poll(async () => (await follow()).status, PATIENCE).toBe(200);

    for (const role of ROLES.toReversed()) await stopProgram(programs[role]);
    expect(ofBlocks(await sumTablesIn(join(env.SPOOR_DATA, 'chain', 'warehouse')))).toEqual(expected);
  });
});

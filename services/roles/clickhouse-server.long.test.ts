import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { writeBlockFiles } from '../demo-world/write-block-files.ts';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { buildBlock } from '../testing/build-block.ts';
import { PATIENCE } from '../testing/patience.ts';
import { runCommand } from '../testing/run-command.ts';
import { PROGRAMS, type Program, runProgram, startProgram } from '../testing/run-program.ts';
import { listeningAt, type ServiceStatus } from '../testing/service/running-service.ts';
import { mountSmallDisk } from '../testing/service/small-disk.ts';
import { startWarehouseServer, type WarehouseServer } from '../testing/service/warehouse-server.ts';
import { blockOf, range } from '../testing/sink-stage.ts';
import { sumTables, sumTablesIn } from '../testing/table-sums.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { DATABASE } from './store/database.ts';
import { openStore, type Store } from './store/open-store.ts';

const MIB = 1 << 20;
const FROM = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const TO = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';

const folder = mkdtempSync(join(tmpdir(), 'spoor-warehouse-server-'));
let shared: WarehouseServer;
beforeAll(async () => {
  shared = await startWarehouseServer(folder, DATABASE);
});
afterAll(async () => {
  await shared.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** An empty log whose tables lie on a server, emptied too. */
const createStage = async (server: WarehouseServer) => {
  await server.empty();
  const dataFolder = temporaryFolder();
  const env = { ...server.env, SPOOR_DATA: dataFolder, SPOOR_PORT: '0', SPOOR_SINK_BATCH_BYTES: '4MiB' };
  const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: MIB });
  onTestFinished(() => store.close());
  return {
    dataFolder,
    store,
    command: (...args: string[]) => runCommand(args, env),
    program: (...args: string[]) => runProgram(PROGRAMS.cli, args, env),
    start: (...roles: string[]) => startProgram(PROGRAMS.cli, ['start', ...roles], env),
  };
};

const urlOf = async (program: Program): Promise<string> =>
  (await program.printed(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m))[1] ?? '';

const healthOf = async (url: string) => {
  const [status, ready] = await Promise.all([fetch(`${url}/status`), fetch(`${url}/readyz`)]);
  const { components } = (await status.json()) as { components: { warehouse: string } };
  return { status: status.status, ready: ready.status, warehouse: components.warehouse };
};
const WELL = { status: 200, ready: 200, warehouse: 'ok' };
const AWAY = { status: 503, ready: 503, warehouse: 'down' };

const append = async (store: Store, blocks: readonly DecodedBlock[]): Promise<void> => {
  const values = blocks.flatMap((block) => store.encodeBlock(block));
  await store.log.append(values.map((value) => ({ topic: 'transfers.history', key: 'solana:0', value })));
};

const heavyBlock = (number: number, authority: string): DecodedBlock => {
  const block = blockOf(number, 1);
  return { ...block, movements: block.movements.slice(0, 1).map((m) => ({ ...m, authority })) };
};

const blocksIn = async (server: WarehouseServer): Promise<number> => {
  const answer = await server.writer.query({
    query: `SELECT count() FROM ${DATABASE}.blocks`,
    format: 'JSONCompactEachRow',
  });
  return Number((await answer.json<[string]>())[0]?.[0]);
};

/** Every row of these blocks once, and no other: what an undisturbed run makes of them. */
const expectStored = async (server: WarehouseServer, blocks: readonly DecodedBlock[]): Promise<void> => {
  await expect.poll(() => blocksIn(server), PATIENCE).toBe(blocks.length);
  const movements = blocks.flatMap((block) => block.movements);
  const rows = {
    blocks: blocks.length,
    transfers: movements.length,
    account_entries: movements.flatMap(({ from, to }) => [from, to].filter((side) => side !== null)).length,
    transactions: blocks.flatMap((block) => block.transactions).length,
    swaps: blocks.flatMap((block) => block.swaps).length,
  };
  const stored = async () => {
    const sums = await sumTables(server.writer);
    return Object.fromEntries(Object.keys(rows).map((table) => [table, Number(sums[table]?.rows)]));
  };
  // Views are filled side by side: the last batch may be on its way into some.
  await expect.poll(stored, PATIENCE).toEqual(rows);
  const { transfers } = await sumTables(server.writer);
  expect(transfers?.amount).toBe(String(movements.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)));
};

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

test('every command works on the tables of a server, which become what they become in a folder', async () => {
  const { dataFolder, command } = await createStage(shared);
  const blocks = temporaryFolder();
  writeBlockFiles(blocks, { seed: 21, people: 6, days: 1, blockSeconds: 3_600 });
  const replayed = await command('replay', blocks);
  expect(replayed.code, replayed.stderr).toBe(0);
  const doctor = await command('doctor', '--json');
  expect(doctor.code, doctor.stderr).toBe(0);
  expect(JSON.parse(doctor.stdout)).toMatchObject({ store: 'chain', lag_records: 0 });
  const before = await sumTables(shared.writer);
  const rebuilt = await command('rebuild', '--json');
  expect(JSON.parse(rebuilt.stdout)).toMatchObject({ identical: true });
  expect(existsSync(join(dataFolder, 'chain', 'warehouse'))).toBe(false);

  const inFiles = temporaryFolder();
  expect(await runCommand(['replay', blocks], { SPOOR_DATA: inFiles })).toMatchObject({ code: 0 });
  expect(before).toEqual(await sumTablesIn(join(inFiles, 'chain', 'warehouse')));
  expect(await sumTables(shared.writer)).toEqual(before);
});

test('roles in processes of their own meet on the server, start no engine, and only one of them fills the tables', async () => {
  const stage = await createStage(shared);
  const api = stage.start('api');
  const sink = stage.start('sink');
  const url = await urlOf(api);
  await urlOf(sink);
  expect([...sink.descendants(), ...api.descendants()]).toEqual([]);
  await append(stage.store, range(1, 3));
  await expect.poll(() => blocksIn(shared), PATIENCE).toBe(3);
  expect(await healthOf(url)).toEqual(WELL);
  const rebuild = await stage.command('rebuild');
  expect(rebuild).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/held by .*stop the server first/),
  });
  expect(await blocksIn(shared)).toBe(3);
});

test('while a rebuild runs nobody is answered from its tables, also by processes that were there before, and everybody behind it', async () => {
  const stage = await createStage(shared);
  const sink = stage.start('sink');
  const api = stage.start('api', 'ledger');
  const derive = stage.start('derive');
  const url = await urlOf(api);
  await urlOf(sink);
  await urlOf(derive);
  const block = buildBlock({
    ...{ chain: 'solana', number: 1, timeUnixSeconds: 1_700_000_000 },
    transactions: [{ hash: 'tx', sender: FROM, movements: [{ from: FROM, to: TO, amountRaw: 5n ** 13n }] }],
  });
  await append(stage.store, [block]);
  const ask = async () => {
    const answer = await fetch(`${url}/follow`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ address: FROM, chain: 'solana' }),
    });
    return { status: answer.status, isRight: (await answer.text()).includes(TO) };
  };
  const RIGHT = { status: 200, isRight: true };
  await expect.poll(ask, PATIENCE).toEqual(RIGHT);
  sink.process.kill('SIGTERM');
  await sink.ended;

  const filling = shared.hold('insert_deduplication_token');
  const rebuilding = stage.program('rebuild', '--json');
  let isFilling = false;
  void filling.then(() => {
    isFilling = true;
  });
  const answers: unknown[] = [];
  while (!isFilling) {
    answers.push(await ask());
    await sleep(100);
  }
  expect(answers).toContainEqual(RIGHT);
  for (const answer of answers) expect([RIGHT, { status: 503, isRight: false }]).toContainEqual(answer);
  expect(await ask()).toEqual({ status: 503, isRight: false });
  expect(await healthOf(url)).toEqual(AWAY);
  expect((await derive.ended).code).toBe(1);
  shared.release();
  expect(await rebuilding).toMatchObject({ code: 0 });
  await expect.poll(ask, PATIENCE).toEqual(RIGHT);
  expect(await healthOf(url)).toEqual(WELL);
});

test('connections that break at any moment of an insert double nothing and drop nothing', async () => {
  const stage = await createStage(shared);
  const service = stage.start('sink');
  await urlOf(service);
  for (let round = 0; round < 12; round++) {
    await append(stage.store, range(1 + round * 10, 10));
    // From before the insert, over its middle, to its answer.
    await sleep(180 + round * 12);
    shared.cut();
    await sleep(30);
    shared.mend();
  }
  await expectStored(shared, range(1, 120));
});

test('while the server is out of reach nobody is told otherwise, the log takes what comes, and memory does not grow with it', async () => {
  const stage = await createStage(shared);
  const service = stage.start('sink', 'api');
  const url = await urlOf(service);
  await append(stage.store, range(1, 5));
  await expect.poll(() => blocksIn(shared), PATIENCE).toBe(5);
  expect(await healthOf(url)).toEqual(WELL);
  shared.cut();
  await expect.poll(() => healthOf(url), PATIENCE).toEqual(AWAY);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  const before = rssOf(service.pid);
  const heavy = Array.from({ length: 80 }, (_, i) => heavyBlock(6 + i, 'a'.repeat(600_000)));
  for (const block of heavy) await append(stage.store, [block]);
  // Six attempts, each later than the one before.
  await sleep(3_000);
  expect(await healthOf(url)).toEqual(AWAY);
  // 48 MB wait in the log; a few batches of 4 MiB, and what the runtime keeps, wait in memory.
  expect(rssOf(service.pid) - before).toBeLessThan(32 * MIB);
  expect(await stage.store.log.ranges('dead-letters').then(([range]) => range?.end)).toBe(0);
  shared.mend();
  await expectStored(shared, [...range(1, 5), ...heavy]);
  await expect.poll(() => healthOf(url), PATIENCE).toEqual(WELL);
});

test('a wrong password ends the start at once and is not printed; a server that is away is waited for, and answers come where it was said to wait', async () => {
  const { dataFolder } = await createStage(shared);
  const env = { SPOOR_DATA: dataFolder, SPOOR_PORT: '0', ...shared.env };
  const CLICKHOUSE_URL = shared.env.CLICKHOUSE_URL.replace(/:[^:@]+@/, ':sesame-1234@');
  for (const role of ['sink', 'api']) {
    const wrong = { ...env, CLICKHOUSE_URL, CLICKHOUSE_READER_URL: CLICKHOUSE_URL };
    const { code, stdout, stderr } = await runProgram(PROGRAMS.cli, ['start', role], wrong);
    expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('refuses the user');
    expect(stderr).not.toContain('sesame');
  }
  shared.cut();
  const early = startProgram(PROGRAMS.cli, ['start', 'sink', 'api'], env);
  const url = await listeningAt(early);
  await expect.poll(() => healthOf(url), PATIENCE).toEqual(AWAY);
  shared.mend();
  expect(await urlOf(early)).toBe(url);
  expect(await healthOf(url)).toEqual(WELL);
});

test('a server whose disk is full keeps the batch waiting, and gets it when there is room', async (context) => {
  const disk = mountSmallDisk(context);
  const server = await startWarehouseServer(disk.folder, DATABASE);
  onTestFinished(() => server.stop());
  const stage = await createStage(server);
  const service = stage.start('sink');
  const url = await urlOf(service);
  await append(stage.store, range(1, 5));
  await expect.poll(() => blocksIn(server), PATIENCE).toBe(5);
  const before = rssOf(service.pid);
  // Room for a few batches, not for all that come.
  disk.fill(5_000_000);
  // Nothing that can be compressed, and more than merges set free.
  const random = () => randomBytes(300_000).toString('hex');
  const heavy = Array.from({ length: 20 }, (_, i) => heavyBlock(6 + i, random()));
  for (const block of heavy) await append(stage.store, [block]);
  await service.printed(/not enough space|no space left/i);
  // Merges may have set some free, and another batch may be in since.
  disk.fill(0);
  // Nobody is told of blocks that only wait.
  const told = async () => {
    const { components } = (await (await fetch(`${url}/status`)).json()) as ServiceStatus;
    const [chain] = components.chains;
    return { warehouse: components.warehouse, waiting: Number(chain?.indexed) - (await blocksIn(server)) };
  };
  await expect.poll(told, PATIENCE).toEqual({ warehouse: 'degraded', waiting: 0 });
  expect(await blocksIn(server)).toBeLessThan(25);
  expect(rssOf(service.pid) - before).toBeLessThan(64 * MIB);
  disk.free();
  await expectStored(server, [...range(1, 5), ...heavy]);
});

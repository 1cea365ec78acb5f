import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../testing/patience.ts';
import { expectEnded } from '../../../testing/processes.ts';
import { WarehouseHeldError } from '../warehouse-errors.ts';
import { isAlive, readEndpoint } from './endpoint.ts';
import { type EmbeddedWarehouse, startEmbeddedWarehouse } from './start-embedded-warehouse.ts';

const folders: string[] = [];
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-warehouse-fault-'));
  folders.push(folder);
  return folder;
};

const BATCHES = 12;
const ROWS = 40_000;

const makeTables = async ({ writer }: EmbeddedWarehouse) => {
  const settings = 'SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1';
  await writer.command({ query: `CREATE TABLE facts (a UInt64) ENGINE = MergeTree ORDER BY a ${settings}` });
  await writer.command({
    query: `CREATE TABLE sides (a UInt64, side UInt8) ENGINE = MergeTree ORDER BY (side, a) ${settings}`,
  });
  await writer.command({
    query:
      'CREATE MATERIALIZED VIEW sides_view TO sides AS SELECT a, side FROM facts ARRAY JOIN [1, 2, 3] AS side',
  });
};

const insertBatch = ({ writer }: EmbeddedWarehouse, batch: number) =>
  writer.insert({
    table: 'facts',
    values: Array.from({ length: ROWS }, (_, i) => [batch * ROWS + i]),
    format: 'JSONCompactEachRow',
    clickhouse_settings: {
      insert_deduplication_token: `batch-${batch}`,
      deduplicate_blocks_in_dependent_materialized_views: 1,
    },
  });

/** As the sink does it: the same batch again until it is confirmed. */
const insertUntilConfirmed = async (warehouse: EmbeddedWarehouse, batch: number) => {
  for (;;) {
    try {
      await insertBatch(warehouse, batch);
      return;
    } catch {
      await sleep(50);
    }
  }
};

const state = async ({ reader }: EmbeddedWarehouse) => {
  const answer = await reader.query({
    query:
      'SELECT (SELECT (count(), uniqExact(a)) FROM facts), (SELECT (count(), uniqExact(a, side)) FROM sides)',
    format: 'JSONCompactEachRow',
  });
  return (await answer.json<[string[], string[]]>())[0];
};

const expected = [
  [String(BATCHES * ROWS), String(BATCHES * ROWS)],
  [String(3 * BATCHES * ROWS), String(3 * BATCHES * ROWS)],
];

test('an engine killed again and again during inserts comes back by itself, and repeated batches make exact tables', async () => {
  const folder = newFolder();
  const states: string[] = [];
  const warehouse = await startEmbeddedWarehouse({
    folder,
    database: 'spoor',
    onState: (state) => states.push(state),
  });
  open.push(warehouse);
  await makeTables(warehouse);
  const { url } = warehouse;
  let inserting = true;
  let kills = 0;
  const killer = (async () => {
    while (inserting && kills < 6) {
      await sleep(30 + ((kills * 97) % 180));
      const { pid } = warehouse;
      if (pid <= 0 || !inserting) continue;
      process.kill(pid, 'SIGKILL');
      kills += 1;
      await expect.poll(() => warehouse.pid, { timeout: 60_000, interval: 20 }).not.toBe(pid);
      await expect.poll(() => states.at(-1), { timeout: 60_000, interval: 20 }).toBe('up');
    }
  })();
  for (let batch = 0; batch < BATCHES; batch++) await insertUntilConfirmed(warehouse, batch);
  inserting = false;
  await killer;
  expect(kills).toBeGreaterThan(1);
  expect(states.filter((state) => state === 'down')).toHaveLength(kills);
  // The service's clients are the same ones as before the first kill.
  expect(warehouse.url).toBe(url);
  expect(await state(warehouse)).toEqual(expected);
}, 180_000);

const MODULE = fileURLToPath(new URL('./start-embedded-warehouse.ts', import.meta.url));

const INSERTING = `
  await warehouse.writer.command({ query: 'CREATE TABLE IF NOT EXISTS t (a UInt64) ENGINE = MergeTree ORDER BY a' });
  process.stdout.write('ready');
  for (let a = 0; ; a++) await warehouse.writer.command({ query: 'INSERT INTO t SELECT number FROM numbers(100000)' });
`;

/** The engine notes in its folder who has it. */
const holderOf = (folder: string): number => {
  const status = join(folder, 'data', 'status');
  return existsSync(status) ? Number(/^PID: (\d+)$/m.exec(readFileSync(status, 'utf8'))?.[1] ?? 0) : 0;
};

/** A process of its own that starts the engine, as the service does, and then does this with it. */
const startParent = async (folder: string, work = INSERTING): Promise<ChildProcess> => {
  const parent = spawnParent(folder, work);
  await once(parent.stdout as NodeJS.ReadableStream, 'data');
  return parent;
};

const spawnParent = (folder: string, work: string): ChildProcess => {
  const request = JSON.stringify({ folder, database: 'spoor', limits: { leaveSecondsMax: 1 } });
  const program = `
    const { startEmbeddedWarehouse } = await import(${JSON.stringify(MODULE)});
    const warehouse = await startEmbeddedWarehouse(${request});
    ${work}
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  open.push({
    async close() {
      if (parent.exitCode === null && parent.signalCode === null) parent.kill('SIGKILL');
    },
  });
  return parent;
};

/** An engine that has its folder, stands still, and lost its parent before it said whose it is. */
const startOrphan = async (): Promise<{ folder: string; orphan: number }> => {
  for (;;) {
    const folder = newFolder();
    const parent = spawnParent(folder, INSERTING);
    let orphan = 0;
    while (orphan === 0) {
      await sleep(1);
      orphan = holderOf(folder);
    }
    process.kill(orphan, 'SIGSTOP');
    parent.kill('SIGKILL');
    if (readEndpoint(folder) === null) return { folder, orphan };
    // It was faster than this process.
    process.kill(orphan, 'SIGCONT');
  }
};

const startLogged = (folder: string) => {
  const logged: unknown[] = [];
  const log = (...line: unknown[]) => logged.push(line);
  const logger = { info: log, warn: log, error: log };
  return { logged, started: startEmbeddedWarehouse({ folder, database: 'spoor', logger }) };
};

const expectAnswering = async (started: Promise<EmbeddedWarehouse>): Promise<void> => {
  const warehouse = await started;
  open.push(warehouse);
  expect((await warehouse.reader.ping({ select: true })).success).toBe(true);
};

test('an engine whose parent is killed before it answers is waited for, too, whatever the clock does', async () => {
  const { folder, orphan } = await startOrphan();
  const { started, logged } = startLogged(folder);
  try {
    await expect.poll(() => JSON.stringify(logged), PATIENCE).toContain(`${orphan}`);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 86_400_000);
    await expect.poll(() => Promise.race([started, logged.length]), PATIENCE).toBeGreaterThan(1);
  } finally {
    vi.restoreAllMocks();
    process.kill(orphan, 'SIGCONT');
  }
  await expectAnswering(started);
}, 120_000);

test('a folder that was held by who has gone by the time that he is looked for is asked for again', async () => {
  const { folder, orphan } = await startOrphan();
  const { pid } = spawnSync(process.execPath, ['--eval', '']);
  writeFileSync(join(folder, 'data', 'status'), `PID: ${pid}\n`);
  const { started, logged } = startLogged(folder);
  try {
    await expect.poll(() => Promise.race([started, JSON.stringify(logged)]), PATIENCE).toContain(`${pid}`);
  } finally {
    process.kill(orphan, 'SIGKILL');
  }
  await expectAnswering(started);
}, 120_000);

test('an engine whose parent is killed ends, and the folder can be opened at once', async () => {
  const folder = newFolder();
  const parent = await startParent(folder);
  const orphan = readEndpoint(folder)?.pid ?? -1;
  expect(isAlive(orphan)).toBe(true);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  // No waiting here: the start itself waits for the orphan to finish its insert and go.
  const warehouse = await startEmbeddedWarehouse({ folder, database: 'spoor' });
  open.push(warehouse);
  await expectEnded([orphan]);
  const answer = await warehouse.reader.query({
    query: 'SELECT count() % 100000 FROM t',
    format: 'JSONCompactEachRow',
  });
  expect(await answer.json()).toEqual([[0]]);
}, 120_000);

const ASKING = `
  const query = "SELECT sum(sleepEachRow(1)) FROM numbers(3600) SETTINGS max_block_size = 1,"
    + ' function_sleep_max_microseconds_per_block = 0';
  void warehouse.writer.query({ query }).catch(() => {});
  const { setTimeout: sleep } = await import('node:timers/promises');
  const asked = "SELECT count() FROM system.processes WHERE query LIKE '%3600%' AND query NOT LIKE '%processes%'";
  const running = async () =>
    (await (await warehouse.writer.query({ query: asked, format: 'JSONCompactEachRow' })).json())[0][0];
  while ((await running()) !== '1') await sleep(20);
  process.stdout.write('asked');
  setInterval(() => {}, 1000);
`;

test('an engine that works on a question when its parent is killed is gone soon after', async () => {
  const folder = newFolder();
  const parent = await startParent(folder, ASKING);
  const orphan = readEndpoint(folder)?.pid ?? -1;
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await expectEnded([orphan]);
  const warehouse = await startEmbeddedWarehouse({ folder, database: 'spoor' });
  open.push(warehouse);
  expect((await warehouse.reader.ping({ select: true })).success).toBe(true);
}, 120_000);

test('an engine takes no end from a signal, which reaches it with its parent where that decides', async () => {
  const warehouse = await startEmbeddedWarehouse({ folder: newFolder(), database: 'spoor' });
  open.push(warehouse);
  const { pid } = warehouse;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
  await sleep(300);
  expect((await warehouse.reader.ping({ select: true })).success).toBe(true);
  expect(warehouse.pid).toBe(pid);
});

test('an engine whose parent leaves it ends at once, without what its library does at an exit', async () => {
  const program = fileURLToPath(new URL('./engine-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  child.disconnect();
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a folder whose engine stands still is refused as held, however long that lasts', async () => {
  const folder = newFolder();
  const standing = await startEmbeddedWarehouse({ folder, database: 'spoor' });
  open.push(standing);
  process.kill(standing.pid, 'SIGSTOP');
  try {
    await expect(startEmbeddedWarehouse({ folder, database: 'spoor' })).rejects.toThrow(WarehouseHeldError);
  } finally {
    process.kill(standing.pid, 'SIGCONT');
  }
}, 60_000);

test('an engine and its parent both killed leave a folder that opens, whatever files lie in it', async () => {
  const folder = newFolder();
  const parent = await startParent(folder);
  const orphan = readEndpoint(folder)?.pid ?? -1;
  process.kill(orphan, 'SIGKILL');
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  expect(readEndpoint(folder)).not.toBeNull();
  const warehouse = await startEmbeddedWarehouse({ folder, database: 'spoor' });
  open.push(warehouse);
  expect(readEndpoint(folder)?.pid).toBe(warehouse.pid);
  expect((await warehouse.reader.ping({ select: true })).success).toBe(true);
}, 120_000);

/** As a kill leaves it between the token and the part that it stands for: the one is there, the other is not. */
const losePart = (folder: string, table: string) => {
  const parts = join(folder, 'data', 'data', 'spoor', table);
  const newest = readdirSync(parts)
    .filter((name) => /^all_\d+_\d+_0$/.test(name))
    .sort((a, b) => Number(b.split('_')[1]) - Number(a.split('_')[1]))[0];
  if (newest === undefined) throw new Error(`${table} has no part`);
  rmSync(join(parts, newest), { recursive: true });
};

test('a batch whose token was written down before its rows were is stored when it comes again, and no other twice', async () => {
  const folder = newFolder();
  const killed = await startEmbeddedWarehouse({ folder, database: 'spoor' });
  await makeTables(killed);
  for (let batch = 0; batch < 3; batch++) await insertBatch(killed, batch);
  await killed.close();
  losePart(folder, 'sides');

  const warehouse = await startEmbeddedWarehouse({ folder, database: 'spoor' });
  open.push(warehouse);
  expect(await state(warehouse)).toEqual([
    [String(3 * ROWS), String(3 * ROWS)],
    [String(6 * ROWS), String(6 * ROWS)],
  ]);
  for (let batch = 0; batch < BATCHES; batch++) await insertBatch(warehouse, batch);
  expect(await state(warehouse)).toEqual(expected);
});

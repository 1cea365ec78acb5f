import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
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

/** A process of its own that starts the engine, as the service does. */
const startParent = async (folder: string, folderName = folder): Promise<ChildProcess> => {
  const program = `
    const { startEmbeddedWarehouse } = await import(${JSON.stringify(MODULE)});
    const warehouse = await startEmbeddedWarehouse({ folder: ${JSON.stringify(folderName)}, database: 'spoor' });
    await warehouse.writer.command({ query: 'CREATE TABLE IF NOT EXISTS t (a UInt64) ENGINE = MergeTree ORDER BY a' });
    process.stdout.write('ready');
    for (let a = 0; ; a++) await warehouse.writer.command({ query: 'INSERT INTO t SELECT number FROM numbers(100000)' });
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  open.push({
    async close() {
      if (parent.exitCode === null && parent.signalCode === null) parent.kill('SIGKILL');
    },
  });
  await once(parent.stdout as NodeJS.ReadableStream, 'data');
  return parent;
};

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
  await expect.poll(() => isAlive(orphan), { timeout: 20_000 }).toBe(false);
  const answer = await warehouse.reader.query({
    query: 'SELECT count() % 100000 FROM t',
    format: 'JSONCompactEachRow',
  });
  expect(await answer.json()).toEqual([[0]]);
}, 120_000);

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

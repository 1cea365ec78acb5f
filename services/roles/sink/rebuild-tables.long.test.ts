import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { createLogger } from '../../platform/logger.ts';
import { startEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, runProgram, startProgram } from '../../testing/run-program.ts';
import { blockOf } from '../../testing/sink-stage.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { fingerprintTables, type TableFingerprint } from '../../warehouse/fingerprint.ts';
import { deriveStore } from '../derive/derive-store.ts';
import { DATABASE } from '../store/database.ts';
import { openStore, type Store } from '../store/open-store.ts';
import { isRebuilding } from '../store/rebuild-marker.ts';
import { rebuildTables } from './rebuild-tables.ts';
import { LABEL_GROUP } from './start-labels.ts';
import { LEDGER_SINK_GROUP } from './start-ledger-sink.ts';
import { REFERENCE_GROUP } from './start-references.ts';
import { SINK_GROUP } from './start-sink.ts';

const WORLD = { seed: 11, people: 20, days: 1, blockSeconds: 900 };

const run = (dataFolder: string, ...args: string[]) => runCommand(args, { SPOOR_DATA: dataFolder });

// Replayed once; each test has a copy of its own.
const folder = mkdtempSync(join(tmpdir(), 'spoor-rebuild-'));
const blockFolder = join(folder, 'blocks');
let before: TableFingerprint[];
beforeAll(async () => {
  writeBlockFiles(blockFolder, WORLD);
  expect(await run(join(folder, 'data'), 'replay', blockFolder)).toMatchObject({ code: 0 });
  before = await fingerprint(join(folder, 'data'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const replayed = (): string => {
  const dataFolder = temporaryFolder();
  // The engine links to its tables' definitions by relative paths: followed, they would lead to those of the original.
  cpSync(join(folder, 'data'), dataFolder, { recursive: true, verbatimSymlinks: true });
  return dataFolder;
};

type Engine = Awaited<ReturnType<typeof startEmbeddedWarehouse>>;

const withTables = async <T>(dataFolder: string, action: (engine: Engine) => Promise<T>): Promise<T> => {
  const folder = join(dataFolder, 'chain', 'warehouse');
  const engine = await startEmbeddedWarehouse({ folder, database: DATABASE });
  try {
    return await action(engine);
  } finally {
    await engine.close();
  }
};
const fingerprint = (dataFolder: string) => withTables(dataFolder, ({ writer }) => fingerprintTables(writer));

type Totals = {
  name: string;
  store: string;
  identical: boolean | null;
  tables: TableFingerprint[];
  derived: Record<string, number> | null;
};
const rebuild = async (dataFolder: string) => {
  const { code, stdout, stderr } = await run(dataFolder, 'rebuild', '--json');
  return { code, stderr, totals: code === 0 ? (JSON.parse(stdout) as Totals) : null };
};

test('a rebuild gives identical tables, also of blocks that the log holds twice, and says so', async () => {
  const dataFolder = replayed();
  const copies = temporaryFolder();
  writeBlockFiles(copies, WORLD);
  const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: 1 << 20 });
  const [value = Buffer.alloc(0)] = store.encodeBlock(blockOf(1));
  // And one in two topics, which a rebuild reads in another order than they came in.
  for (const topic of ['transfers.history', 'transfers.head']) {
    await store.log.append([{ topic, key: 'solana', partition: 0, value }]);
    expect(await run(dataFolder, 'replay', copies)).toMatchObject({ code: 0 });
  }
  await store.close();
  const withCopies = await fingerprint(dataFolder);
  const rowsOf = (tables: TableFingerprint[]) => tables.find(({ table }) => table === 'transfers')?.rows;
  expect(rowsOf(withCopies)).toBe((rowsOf(before) ?? 0) + blockOf(1).movements.length);
  expect(await rebuild(dataFolder)).toMatchObject({
    code: 0,
    totals: { name: 'rebuild', store: 'chain', identical: true, derived: null, tables: withCopies },
  });
  expect(await fingerprint(dataFolder)).toEqual(withCopies);
});

const DERIVED = ['first_funders', 'market_trades', 'derivations'];

const countDerived = async ({ writer }: Engine): Promise<Record<string, number>> => {
  const rows = DERIVED.map(async (table) => {
    const query = 'SELECT count() FROM {table:Identifier} FINAL';
    const answer = await writer.query({ query, query_params: { table }, format: 'JSONCompactEachRow' });
    const [row] = await answer.json<[string]>();
    return [table, Number(row?.[0])] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
};

const derive = async (engine: Engine, store: Store): Promise<Record<string, number>> => {
  const { signal } = new AbortController();
  await deriveStore({ store, writer: engine.writer, chains: [], signal });
  return countDerived(engine);
};

test('what was derived from the tables is derived again, and said', async () => {
  const dataFolder = replayed();
  const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: 1 << 20 });
  const derived = await withTables(dataFolder, (engine) => derive(engine, store));
  await store.close();
  expect(derived.first_funders).toBeGreaterThan(10);
  const { totals, stderr } = await rebuild(dataFolder);
  expect(totals).toMatchObject({ identical: true, derived: { first_funders: derived.first_funders } });
  expect(stderr).toContain(`first_funders: ${derived.first_funders} rows, derived again`);
  expect(await withTables(dataFolder, countDerived)).toEqual(derived);
});

test('rows that were deleted or doubled by hand are right again, and the rebuild says that they were not', async () => {
  const dataFolder = replayed();
  await withTables(dataFolder, async ({ writer }) => {
    await writer.command({ query: 'DELETE FROM account_entries WHERE block_number % 7 = 0' });
    await writer.command({ query: 'INSERT INTO transfers SELECT * FROM transfers LIMIT 5' });
    await writer.command({ query: 'DROP TABLE swaps SYNC' });
    expect(await fingerprintTables(writer)).not.toEqual(before);
  });
  expect(await rebuild(dataFolder)).toMatchObject({ code: 0, totals: { identical: false } });
  expect(await fingerprint(dataFolder)).toEqual(before);
});

const marker = (dataFolder: string): string => join(dataFolder, 'chain', 'rebuilding');

test('a rebuild whose tables cannot be compared ends all the same, and the tables are whole', async () => {
  const dataFolder = replayed();
  // Listed among ours, and not there where it is summed.
  await withTables(dataFolder, async ({ writer }) => {
    await writer.command({ query: `CREATE DATABASE ${DATABASE}_local` });
    const query = `CREATE TABLE ${DATABASE}_local.elsewhere (id UInt8) ENGINE = MergeTree ORDER BY id`;
    await writer.command({ query });
  });
  const { code, totals, stderr } = await rebuild(dataFolder);
  expect({ code, identical: totals?.identical }).toEqual({ code: 0, identical: null });
  expect(stderr).toContain('could not be compared');
  expect(existsSync(marker(dataFolder))).toBe(false);
  await withTables(dataFolder, async ({ writer }) => {
    await writer.command({ query: `DROP DATABASE ${DATABASE}_local SYNC` });
    expect(await fingerprintTables(writer)).toEqual(before);
  });
});

test('a rebuild whose facts cannot be derived ends all the same, and the service derives them', async () => {
  const dataFolder = replayed();
  const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: 1 << 20 });
  onTestFinished(() => store.close());
  const derived = await withTables(dataFolder, (engine) => derive(engine, store));
  let asked = '';
  const commits: EventLog['commits'] = (group) => {
    // Only who derives asks for these two one after the other.
    const isDeriving = asked === SINK_GROUP && group === REFERENCE_GROUP;
    asked = group;
    return isDeriving ? Promise.reject(new Error('out of reach')) : store.log.commits(group);
  };
  const rebuilt = await rebuildTables(
    { ...store, log: { ...store.log, commits } },
    {
      ...{
        batchBytesMax: 1 << 20,
        logger: createLogger({ level: 'silent' }),
        onFilled: () => {},
        onLag: () => {},
      },
      signal: new AbortController().signal,
    },
  );
  expect(rebuilt.derived).toBeNull();
  expect(await isRebuilding(store)).toBe(false);
  await withTables(dataFolder, async (engine) => {
    expect(await fingerprintTables(engine.writer)).toEqual(before);
    expect(await derive(engine, store)).toEqual(derived);
  });
});

describe('a rebuild that was cut off', () => {
  test('by −9 is told by whoever would answer from its tables, and a second one ends right', async () => {
    const dataFolder = replayed();
    const killed = startProgram(PROGRAMS.cli, ['rebuild'], { SPOOR_DATA: dataFolder });
    while (!existsSync(marker(dataFolder))) await sleep(5);
    killed.descendants();
    killed.process.kill('SIGKILL');
    await killed.ended;

    const server = await runProgram(PROGRAMS.server, [], { SPOOR_DATA: dataFolder, SPOOR_PORT: '0' });
    const replay = await runProgram(PROGRAMS.cli, ['replay', blockFolder], { SPOOR_DATA: dataFolder });
    for (const { code, stderr } of [server, replay]) {
      expect(code).toBe(1);
      expect(stderr).toMatch(/a rebuild of .* was interrupted.*run "spoor rebuild" to its end first/);
      expect(stderr).not.toContain('    at ');
    }
    expect(server.stdout).toBe('');
    expect(await rebuild(dataFolder)).toMatchObject({ code: 0, totals: { identical: null } });
    expect(await fingerprint(dataFolder)).toEqual(before);
    expect(await run(dataFolder, 'replay', blockFolder)).toMatchObject({ code: 0 });
  });

  test('by an interrupt ends with 130, says what to do, and a second one ends right', async () => {
    const dataFolder = replayed();
    const program = startProgram(PROGRAMS.cli, ['rebuild'], { SPOOR_DATA: dataFolder });
    while (!existsSync(marker(dataFolder))) await sleep(5);
    program.process.kill('SIGINT');
    expect(await program.ended, program.stderr()).toEqual({ code: 130, signal: null });
    expect(program.stderr()).toContain('run "spoor rebuild" again');
    expect(existsSync(marker(dataFolder))).toBe(true);
    expect(await rebuild(dataFolder)).toMatchObject({ code: 0, totals: { tables: before } });
  });
});

test('while a server owns the tables a rebuild is refused, and nothing is touched', async () => {
  const dataFolder = replayed();
  const server = startProgram(PROGRAMS.server, [], { SPOOR_DATA: dataFolder, SPOOR_PORT: '0' });
  await server.printed(/^ready /m);
  const { code, stderr } = await rebuild(dataFolder);
  expect(code).toBe(1);
  expect(stderr).toMatch(/held by process \d+.*stop the server first/);
  expect(existsSync(marker(dataFolder))).toBe(false);
  server.process.kill('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
  // A server brings labels along; what the blocks filled is as it was.
  const filled = before.filter(({ rows }) => rows > 0);
  const names = new Set(filled.map(({ table }) => table));
  expect((await fingerprint(dataFolder)).filter(({ table }) => names.has(table))).toEqual(filled);
});

test('a rebuild that is refused because a service fills some of the tables has changed nothing', async () => {
  const dataFolder = replayed();
  const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: 1 << 20 });
  onTestFinished(() => store.close());
  const groups = [SINK_GROUP, LABEL_GROUP, REFERENCE_GROUP, LEDGER_SINK_GROUP];
  const commits = () => Promise.all(groups.map((group) => store.log.commits(group)));
  const commitsBefore = await commits();
  expect(commitsBefore[0]).not.toEqual([]);
  // Killed a moment ago: the lease of one group has not run out yet.
  const holder = await store.log.consume({ group: LEDGER_SINK_GROUP, topics: ['ledger.events'] });
  expect(await rebuild(dataFolder)).toMatchObject({ code: 1, stderr: expect.stringContaining('held') });
  await holder.close();
  expect(await commits()).toEqual(commitsBefore);
  expect(await isRebuilding(store)).toBe(false);
  expect(await fingerprint(dataFolder)).toEqual(before);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { createLogger } from '../../platform/logger.ts';
import { startDraining } from '../../roles/sink/drain-log.ts';
import { openStore, type Store } from '../../roles/store/open-store.ts';
import { blockParts } from '../../testing/block-parts.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, runProgram, startProgram } from '../../testing/run-program.ts';
import { blockOf, encodePart } from '../../testing/sink-stage.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

type Report = {
  store: string;
  lag_records: number;
  dead_letters: number;
  chains: object[];
  tables: { table: string; parts: number; rows: number; bytes: number }[];
};

const block = (chain: string, number: number, more: Partial<DecodedBlock> = {}): DecodedBlock => ({
  ...blockOf(number),
  chain,
  ...more,
});

/** Everything that can be wrong with blocks, and a chain where nothing is. */
const BLOCKS: readonly DecodedBlock[] = [
  ...[10, 11, 12].map((number) => block('ethereum', number)),
  // 13 and 14 never came.
  block('ethereum', 15),
  block('ethereum', 16, { parentHash: 'another-block-15' }),
  block('ethereum', 17),
  ...[100, 101].map((slot) => block('solana', slot)),
  // Its parent is 101: nobody made the slots between.
  block('solana', 105, { parentNumber: 101, parentHash: 'block-101' }),
  block('solana', 110, { parentNumber: 108, parentHash: 'block-108' }),
  ...[1, 2, 3].map((number) => block('base', number)),
  // The first block that is here has no parent here.
  block('polygon', 5_000, { parentNumber: 4_998, parentHash: 'elsewhere' }),
  // A gap right behind the first block there ever was.
  block('bsc', 0, { parentNumber: null, parentHash: 'none' }),
  block('bsc', 2),
];
// Said to be final as well, where the chain can have but one.
const RIVAL = block('polygon', 5_000, { hash: 'rival', parentNumber: 4_998, parentHash: 'elsewhere' });
const TORN = block('ethereum', 18, { hash: 'torn-block' });
let tornParts = 0;
const LATE = [block('base', 4), block('base', 5)];

const dataFolder = mkdtempSync(join(tmpdir(), 'spoor-doctor-'));

const append = (store: Store, values: readonly Uint8Array[]) =>
  store.log.append(
    values.map((value) => ({ topic: 'transfers.history', key: 'blocks', partition: 0, value })),
  );

beforeAll(async () => {
  const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: 1 << 20 });
  const logger = createLogger({ level: 'silent' });
  const draining = await startDraining(store, { batchBytesMax: 1 << 20, logger });
  await append(store, [...BLOCKS, RIVAL].flatMap(store.encodeBlock));
  const parts = blockParts(TORN, 1_200).map((part) => encodePart(part));
  tornParts = parts.length;
  expect(tornParts).toBeGreaterThan(2);
  await append(store, parts.toSpliced(1, 1, Buffer.from('torn')));
  await draining.untilEmpty(new AbortController().signal, () => {});
  await draining.stop();
  // These come when nobody fills the tables any more.
  await append(store, LATE.flatMap(store.encodeBlock));
  await store.close();
});
afterAll(() => rmSync(dataFolder, { recursive: true, force: true }));

const doctor = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCommand(['doctor', ...args], { SPOOR_DATA: dataFolder });
  expect(code, stderr).toBe(0);
  return stdout;
};

test('gaps, missing parts, parents that do not fit, lag and dead letters are told, and nothing else', async () => {
  const { code, stdout, stderr } = await runProgram(PROGRAMS.cli, ['doctor', '--json'], {
    SPOOR_DATA: dataFolder,
  });
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^\{.*\}\n$/);
  const report = JSON.parse(stdout) as Report;
  expect(report).toMatchObject({
    name: 'doctor',
    store: 'chain',
    lag_records: LATE.length,
    dead_letters: tornParts + 1,
    counts: 'exact',
    chains: [
      { chain: 'base', blocks: 3, first: 1, last: 3, gaps: 0 },
      { chain: 'bsc', blocks: 2, first: 0, last: 2, gaps: 1 },
      { chain: 'ethereum', blocks: 6, first: 10, last: 17, gaps: 1 },
      { chain: 'polygon', blocks: 1, first: 5_000, last: 5_000, gaps: 0 },
      { chain: 'solana', blocks: 4, first: 100, last: 110, gaps: 1 },
    ],
    gaps: [
      { chain: 'bsc', after: 0, until: 1 },
      { chain: 'ethereum', after: 12, until: 14 },
      { chain: 'solana', after: 105, until: 108 },
    ],
    // A block of which a part is torn is not shown at all.
    incomplete: [],
    mismatched: [{ chain: 'ethereum', number: 16 }],
  });
  const transfers = report.tables.find(({ table }) => table === 'transfers');
  expect(transfers?.rows).toBe(BLOCKS.reduce((sum, { movements }) => sum + movements.length, 0));
  for (const { parts, bytes } of report.tables) {
    expect(parts).toBeGreaterThan(0);
    expect(bytes).toBeGreaterThan(0);
  }
});

test('a person reads the same in words', async () => {
  const lines = (await doctor()).split('\n').map((line) => line.trim());
  for (const line of [
    `store chain: 2 records not yet in the tables, ${tornParts + 1} dead letters`,
    'ethereum: 6 blocks from 10 to 17, 1 gaps',
    'nothing between 12 and 15 on ethereum',
    'nothing between 105 and 109 on solana',
    'MISMATCH ethereum 16: not the only block of its number, or its parent here has another hash',
  ])
    expect(lines).toContain(line);
});

const runJson = async (command: 'doctor' | 'rebuild', folder: string) => {
  const ended = await runCommand([command, '--json'], { SPOOR_DATA: folder });
  expect(ended.code, ended.stderr).toBe(0);
  const lines = ended.stdout.trimEnd().split('\n');
  return { stderr: ended.stderr, lines: lines.map((line) => JSON.parse(line) as object) };
};

test('where there is no data the totals say so, and it is no failure', async () => {
  const folder = temporaryFolder();
  const doctor = await runJson('doctor', folder);
  expect(doctor.lines).toEqual([
    { name: 'doctor', stores: 0, lag_records: 0, dead_letters: 0, counts: 'exact' },
  ]);
  const rebuild = await runJson('rebuild', folder);
  expect(rebuild.lines).toEqual([{ name: 'rebuild', stores: 0, identical: null }]);
  for (const { stderr } of [doctor, rebuild]) expect(stderr).toContain('there is no data');
});

test('tables that were not there, as after a restore, are not compared with the rebuilt ones', async () => {
  const folder = temporaryFolder();
  const store = await openStore({ dataFolder: folder, name: 'world-1', maxQueuedBytes: 1 << 20 });
  await append(store, LATE.flatMap(store.encodeBlock));
  await store.close();
  const { lines, stderr } = await runJson('rebuild', folder);
  expect(lines).toMatchObject([{ store: 'world-1', identical: null }]);
  expect(stderr).toContain('there was nothing to compare with');
});

test('several stores end with one line of totals', async () => {
  const folder = temporaryFolder();
  for (const name of ['world-1', 'world-2'] as const) {
    const store = await openStore({ dataFolder: folder, name, maxQueuedBytes: 1 << 20 });
    await append(store, LATE.flatMap(store.encodeBlock));
    await store.close();
  }
  // Of the ledger are its plan and its period.
  const opened = await runCommand(['accounts', 'open', 'Example'], { SPOOR_DATA: folder });
  expect(opened, opened.stderr).toMatchObject({ code: 0 });
  const [, , doctor] = (await runJson('doctor', folder)).lines;
  const counted = { lag_records: 2 * LATE.length, dead_letters: 0, counts: 'exact' };
  expect(doctor).toEqual({ name: 'doctor', stores: 2, ...counted });
  const [first, , rebuild] = (await runJson('rebuild', folder)).lines;
  // What only lay in the log is in the tables now.
  const entries = expect.objectContaining({ table: 'ledger_entries', rows: 2 });
  expect(first).toMatchObject({ store: 'world-1', tables: expect.arrayContaining([entries]) });
  expect(rebuild).toEqual({ name: 'rebuild', stores: 2, identical: false });
});

test('beside a running server it looks through that one, which has filled the tables by then', async () => {
  const env = { SPOOR_DATA: dataFolder, SPOOR_PORT: '0' };
  const server = startProgram(PROGRAMS.server, [], env);
  await server.printed(/^ready /m);
  await expect.poll(async () => (JSON.parse(await doctor('--json')) as Report).lag_records, PATIENCE).toBe(0);
  const report = JSON.parse(await doctor('--json')) as Report;
  expect(report.chains[0]).toEqual({ chain: 'base', blocks: 5, first: 1, last: 5, gaps: 0 });
  server.process.kill('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
});

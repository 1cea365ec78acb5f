import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createRandom } from './demo-world/random.ts';
import { writeBlockFiles } from './demo-world/write-block-files.ts';
import { readEndpoint } from './platform/warehouse-engine/embedded/endpoint.ts';
import { connectEmbeddedWarehouse } from './platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { LABEL_GROUP } from './roles/sink/start-labels.ts';
import { openStore } from './roles/store/open-store.ts';
import { PATIENCE } from './testing/patience.ts';
import { expectEnded } from './testing/processes.ts';
import { PROGRAMS, type Program, runProgram } from './testing/run-program.ts';
import { startGatedChains } from './testing/service/gated-chains.ts';
import { statusOf, untilIndexed, urlOf } from './testing/service/running-service.ts';
import { readOffsets, startWorld, stopWorld, sumsOf, warehouseOf } from './testing/service/served-world.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { readLag } from './warehouse/sink/lag.ts';

const TIMEOUT_MS = 480_000;
const STORE = 'chain';
const random = createRandom(7);

const tablesOf = (folder: string) => sumsOf(warehouseOf(folder, STORE));

/** Kills it, or tells it to stop, about so long after its start: it ends in order, and with it all that it started. */
const endAfter = async (server: Program, momentMs: number, isKilled: boolean): Promise<void> => {
  await sleep(momentMs * (0.8 + 0.4 * random.unit()));
  const children = server.descendants();
  server.process.kill(isKilled ? 'SIGKILL' : 'SIGTERM');
  const { code, signal } = await server.ended;
  // Before the first line of ours runs the signal itself ends it; from then on it ends in order.
  if (signal === 'SIGTERM') expect(server.stdout() + server.stderr()).toBe('');
  else if (!isKilled) expect(code, server.stderr()).toBe(0);
  expect(server.stderr(), `after ${momentMs} ms`).not.toMatch(/^\s+at /m);
  await expectEnded(children);
};

/** Until a running service has all labels of its log in its tables: a rebuild finds what it left undone. */
const untilLabelled = async (folder: string): Promise<void> => {
  const store = await openStore({ dataFolder: folder, name: STORE, maxQueuedBytes: 1 << 20 });
  onTestFinished(() => store.close());
  await expect.poll(() => readLag(store.log, LABEL_GROUP, ['labels']), PATIENCE).toBe(0);
  const tables = await connectEmbeddedWarehouse({ folder: store.warehouseFolder });
  onTestFinished(() => tables.close());
  const pending = 'SELECT count() FROM service_wallets FINAL WHERE NOT copied';
  const countPending = async () =>
    (await tables.reader.query({ query: pending, format: 'JSONCompactEachRow' })).json();
  await expect.poll(countPending, PATIENCE).toEqual([['0']]);
};

type Rebuilt = { identical: boolean; tables: { table: string; rows: number }[] };

/** Told to stop and killed by turns, so long after each start. */
const MOMENTS_MS = [150, 900, 1_900, 2_600, 5_000, 3_600];

test(
  'killed with −9 or told to stop at any moment of its start and of reading in, it leaves no process, and the tables are those of an undisturbed run',
  async () => {
    const undisturbed = temporaryFolder();
    const open = await startGatedChains({ isOpen: true });
    const whole = startWorld(undisturbed, open.env);
    await untilIndexed(await urlOf(whole));
    await stopWorld(whole);

    const folder = temporaryFolder();
    const chains = await startGatedChains();
    for (const [i, momentMs] of MOMENTS_MS.entries())
      await endAfter(startWorld(folder, chains.env), momentMs, i % 2 === 1);
    chains.open();
    const server = startWorld(folder, chains.env);
    const url = await urlOf(server);
    const engine = readEndpoint(warehouseOf(folder, STORE))?.pid ?? -1;
    expect(server.descendants()).toContain(engine);
    process.kill(engine, 'SIGKILL');
    await untilIndexed(url);
    await expect.poll(async () => (await statusOf(url)).status, { timeout: 60_000 }).toBe('ok');
    await stopWorld(server);
    expect(await tablesOf(folder)).toEqual(await tablesOf(undisturbed));
    expect(await readOffsets(folder, STORE)).toEqual(await readOffsets(undisturbed, STORE));
  },
  TIMEOUT_MS,
);

test(
  'killed with −9 or told to stop while it generates the world or reads it in, it leaves no process',
  async () => {
    const folder = temporaryFolder();
    for (const [i, momentMs] of [1_500, 4_000].entries())
      await endAfter(startWorld(folder), momentMs, i % 2 === 0);
    const server = startWorld(folder);
    await server.printed(/generating a world/);
    await endAfter(server, 1_000, true);
  },
  TIMEOUT_MS,
);

test(
  'block files are served at the next start; what is replayed beside it then is filled in by the server, and a rebuild makes the same',
  async () => {
    const folder = temporaryFolder();
    const blocks = temporaryFolder();
    writeBlockFiles(blocks, { seed: 21, people: 12, days: 1, blockSeconds: 1_800 });
    const replay = () => runProgram(PROGRAMS.cli, ['replay', '--json', blocks], { SPOOR_DATA: folder });
    expect(await replay()).toMatchObject({ code: 0 });
    const replayed = await tablesOf(folder);
    expect(Number(replayed.transfers?.rows)).toBeGreaterThan(100);

    const server = startWorld(folder);
    const url = await urlOf(server);
    expect(server.stdout()).toContain('-d \'{"address":"<address>","chain":"<chain>"}\'');
    expect((await statusOf(url)).status).toBe('ok');
    // Of another world, and a day more of it: what is in the place of blocks that are there is refused, and said so.
    writeBlockFiles(join(blocks, 'more'), { seed: 22, people: 12, days: 2, blockSeconds: 1_800 });
    const beside = await replay();
    expect(beside, beside.stderr).toMatchObject({ code: 1 });
    expect(beside.stderr).toMatch(/the tables refused \d+ records .* another block stands in its place/);
    expect(beside.stderr).toContain('a running server owns the tables and fills them');
    await untilLabelled(folder);
    await stopWorld(server);
    expect(Number((await tablesOf(folder)).blocks?.rows)).toBeGreaterThan(Number(replayed.blocks?.rows));
    const rebuilt = await runProgram(PROGRAMS.cli, ['rebuild', '--json'], { SPOOR_DATA: folder });
    const { identical, tables } = JSON.parse(rebuilt.stdout) as Rebuilt;
    expect(identical, rebuilt.stderr).toBe(true);
    // Those that the service brought along, too.
    expect(tables.find(({ table }) => table === 'labels')?.rows).toBeGreaterThan(100);
  },
  TIMEOUT_MS,
);

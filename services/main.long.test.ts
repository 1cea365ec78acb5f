import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createRandom } from './demo-world/random.ts';
import type { TruthLine } from './demo-world/truth.ts';
import { writeBlockFiles } from './demo-world/write-block-files.ts';
import { readEndpoint } from './platform/warehouse-engine/embedded/endpoint.ts';
import { expectEnded } from './testing/processes.ts';
import { PROGRAMS, type Program, runProgram } from './testing/run-program.ts';
import { urlOf } from './testing/service/running-service.ts';
import {
  expectHealthy,
  get,
  readOffsets,
  STORE,
  type Status,
  startWorld,
  stopWorld,
  sumsOf,
  warehouseOf,
} from './testing/service/served-world.ts';
import type { TableSums } from './testing/table-sums.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const TIMEOUT_MS = 900_000;
/** Told to stop and killed by turns, so long after each start. */
const MOMENTS_MS = [150, 900, 1_900, 2_600, 5_000, 3_600];
// One world is read in once and looked at by several tests, in their order.
const dataFolder = mkdtempSync(join(tmpdir(), 'spoor-server-'));
let reference: Record<string, TableSums> = {};
let offsets: unknown;
afterAll(() => rmSync(dataFolder, { recursive: true, force: true }));

const truthFile = () => readFileSync(join(dataFolder, STORE, 'truth.jsonl'), 'utf8');

const readTruth = (): TruthLine[] =>
  truthFile()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TruthLine);

type Answer = {
  start: string;
  hops: { to: string; to_label: { name: string; kind: string } | null }[];
  end: { reason: string; address: string };
};
type Body = { chain: string; address: string; since?: number; asset?: string };
type Trail = Extract<TruthLine, { type: 'trail' }>;

const SERVICES = ['exchange', 'bridge', 'mixer'];
/** The bodies of the printed curl lines, as a newcomer copies them. */
const printedBodies = (server: Program): Body[] =>
  [...server.stdout().matchAll(/curl -s \S+\/follow .*-d '(\{.*\})'$/gm)].map(
    ([, body]) => JSON.parse(body ?? '') as Body,
  );

const follow = async (url: string, body: Body) => {
  const response = await fetch(`${url}/follow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: (await response.json()) as Answer };
};

/** Money that a service took ends there, and the last hop says who it is. */
const expectServiceEnds = async (url: string, truth: readonly TruthLine[]): Promise<void> => {
  const names = new Map(
    truth.flatMap((line) => (line.type === 'label' ? [[line.address.toLowerCase(), line.name]] : [])),
  );
  const trails = truth.filter(
    (line): line is Trail => line.type === 'trail' && SERVICES.includes(line.end.reason),
  );
  expect(new Set(trails.map(({ chain, end }) => `${chain} ${end.reason}`)).size).toBe(2 * SERVICES.length);
  for (const { chain, start, since, asset, end } of trails) {
    const { answer } = await follow(url, { chain, address: start, since, asset });
    expect(answer.end.reason, `${chain} ${start}`).toBe(end.reason);
    const reached = answer.end.address.toLowerCase();
    expect([end.address, ...end.accept].map((address) => address.toLowerCase())).toContain(reached);
    expect(answer.hops.at(-1)?.to_label).toEqual({
      // A deposit address has no name of its own: its behaviour says whose it is.
      name: names.get(reached) ?? expect.stringMatching(/ deposit$/),
      kind: end.reason,
    });
  }
};

test(
  'one command serves the generated world, and its three printed questions are answered as the truth has it',
  async () => {
    const server = startWorld(dataFolder);
    const url = await urlOf(server);
    await expectHealthy(url);
    const bodies = printedBodies(server);
    expect(bodies).toHaveLength(3);
    const answers = await Promise.all(bodies.map((body) => follow(url, body)));
    // Only now is the truth looked at.
    const trails = readTruth().filter((line) => line.type === 'trail');
    for (const [i, { status, answer }] of answers.entries()) {
      expect(status).toBe(200);
      const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
      const trail = trails.find(
        ({ chain, start }) => chain === bodies[i]?.chain && same(start, answer.start),
      );
      expect(trail?.start.toLowerCase()).toBe(bodies[i]?.address.toLowerCase());
      expect(answer.end.reason).toBe(trail?.end.reason);
      expect(answer.end.address.toLowerCase()).toBe(trail?.end.address.toLowerCase());
      expect(answer.hops.map(({ to }) => to.toLowerCase())).toEqual(
        trail?.hops.map((hop) => hop.toLowerCase()),
      );
    }
    await expectServiceEnds(url, readTruth());
    // A world that was read in whole has told its whole truth.
    const types = new Set(readTruth().map(({ type }) => type));
    for (const type of ['owner', 'deposit_address', 'mixer_link', 'launch', 'drainer', 'lookalike'])
      expect(types).toContain(type);
    await stopWorld(server);
    reference = await sumsOf(warehouseOf(dataFolder));
    offsets = await readOffsets(dataFolder);
    expect(Number(reference.transfers?.rows)).toBeGreaterThan(10_000);
  },
  TIMEOUT_MS,
);

test(
  'after a stop everything is there again at the next start, and nothing is read in again',
  async () => {
    const truth = truthFile();
    const server = startWorld(dataFolder);
    const url = await urlOf(server);
    await expectHealthy(url);
    for (const body of printedBodies(server))
      expect((await follow(url, body)).answer.end.reason).toBeTruthy();
    await stopWorld(server);
    expect(await readOffsets(dataFolder)).toEqual(offsets);
    expect(await sumsOf(warehouseOf(dataFolder))).toEqual(reference);
    expect(truthFile()).toBe(truth);
  },
  TIMEOUT_MS,
);

test(
  'block files go into a store of their own while it runs, and are served at the next start',
  async () => {
    const blocks = temporaryFolder();
    writeBlockFiles(blocks, { seed: 21, people: 12, days: 1, blockSeconds: 1_800 });
    const server = startWorld(dataFolder);
    const url = await urlOf(server);
    const replay = () => runProgram(PROGRAMS.cli, ['replay', '--json', blocks], { SPOOR_DATA: dataFolder });
    expect(await replay()).toMatchObject({ code: 0 });
    await expectHealthy(url);
    await stopWorld(server);
    expect(await sumsOf(warehouseOf(dataFolder))).toEqual(reference);
    const replayed = await sumsOf(warehouseOf(dataFolder, 'chain'));
    expect(Number(replayed.transfers?.rows)).toBeGreaterThan(100);

    const next = startWorld(dataFolder);
    const nextUrl = await urlOf(next);
    expect(printedBodies(next)).toEqual([{ address: '<address>', chain: '<chain>' }]);
    expect((JSON.parse((await get(nextUrl, '/status')).text) as Status).status).toBe('ok');
    // This time the tables are the server's own: it fills them with what replay puts into the log.
    const more = join(blocks, 'more');
    // Of another world, and a day more of it: what is in the place of blocks that are there is refused, and said so.
    writeBlockFiles(more, { seed: 22, people: 12, days: 2, blockSeconds: 1_800 });
    const beside = await replay();
    expect(beside, beside.stderr).toMatchObject({ code: 1 });
    expect(beside.stderr).toMatch(/the tables refused \d+ records .* another block stands in its place/);
    expect(beside.stderr).toContain('a running server owns the tables and fills them');
    await stopWorld(next);
    const rows = Number((await sumsOf(warehouseOf(dataFolder, 'chain'))).blocks?.rows);
    expect(rows).toBeGreaterThan(Number(replayed.blocks?.rows));
  },
  TIMEOUT_MS,
);

test(
  'killed with −9 or told to stop at any moment of its start and of reading in, it leaves no process, and the tables are those of an undisturbed run',
  async () => {
    const folder = temporaryFolder();
    const random = createRandom(7);
    for (const [i, momentMs] of MOMENTS_MS.entries()) {
      const server = startWorld(folder);
      await sleep(momentMs * (0.8 + 0.4 * random.unit()));
      const children = server.descendants();
      const isKilled = i % 2 === 1;
      server.process.kill(isKilled ? 'SIGKILL' : 'SIGTERM');
      const { code, signal } = await server.ended;
      // Before the first line of ours runs the signal itself ends it; from then on it ends in order.
      if (signal === 'SIGTERM') expect(server.stdout() + server.stderr()).toBe('');
      else if (!isKilled) expect(code, server.stderr()).toBe(0);
      expect(server.stderr(), `after ${momentMs} ms`).not.toMatch(/^\s+at /m);
      await expectEnded(children);
    }
    const server = startWorld(folder);
    // Its tables are there, and it reads in.
    await server.printed(/generating a world/);
    const engine = readEndpoint(warehouseOf(folder))?.pid ?? -1;
    expect(server.descendants()).toContain(engine);
    process.kill(engine, 'SIGKILL');
    await expectHealthy(await urlOf(server));
    await stopWorld(server);
    expect(await sumsOf(warehouseOf(folder))).toEqual(reference);
    expect(await readOffsets(folder)).toEqual(offsets);
  },
  TIMEOUT_MS,
);

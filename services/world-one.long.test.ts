import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testExamples } from './api/contract/examples.contract.ts';
import { testRetraceJob } from './api/retrace/retrace-job.contract.ts';
import { testAnalystsPage } from './cli/commands/analysts-page.contract.ts';
import type { TruthLine } from './demo-world/truth.ts';
import { writeBlockFiles } from './demo-world/write-block-files.ts';
import { PROGRAMS, type Program, runProgram } from './testing/run-program.ts';
import {
  expectHealthy,
  readOffsets,
  STORE,
  stopWorld,
  sumsOf,
  warehouseOf,
} from './testing/service/served-world.ts';
import type { TableSums } from './testing/table-sums.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { serveWorldOne, untilDerived, type WorldOne } from './testing/world-one.ts';

const TIMEOUT_MS = 900_000;
// A minute of work for both processors: it is read in and derived from once, and looked at by all of these in their order.
const dataFolder = mkdtempSync(join(tmpdir(), 'spoor-world-'));
let world: WorldOne;
beforeAll(async () => {
  world = await serveWorldOne(dataFolder);
}, TIMEOUT_MS);
afterAll(async () => {
  if (world.server.process.exitCode === null) await stopWorld(world.server);
  rmSync(dataFolder, { recursive: true, force: true });
}, TIMEOUT_MS);

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
    const { server, url } = world;
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
  },
  TIMEOUT_MS,
);

describe('once all is there that is derived from it', () => {
  beforeAll(() => untilDerived(world), TIMEOUT_MS);

  testExamples(() => world, readTruth);
  testAnalystsPage(() => world);
});

test(
  'block files go into a store of their own while it runs',
  async () => {
    const blocks = temporaryFolder();
    writeBlockFiles(blocks, { seed: 21, people: 12, days: 1, blockSeconds: 1_800 });
    const replayed = await runProgram(PROGRAMS.cli, ['replay', '--json', blocks], { SPOOR_DATA: dataFolder });
    expect(replayed).toMatchObject({ code: 0 });
    await expectHealthy(world.url);
    expect(Number((await sumsOf(warehouseOf(dataFolder, 'chain'))).transfers?.rows)).toBeGreaterThan(100);
    rmSync(join(dataFolder, 'chain'), { recursive: true });
  },
  TIMEOUT_MS,
);

describe('after a stop', () => {
  let before: { tables: Record<string, TableSums>; offsets: unknown; truth: string };
  beforeAll(async () => {
    await stopWorld(world.server);
    const tables = await sumsOf(warehouseOf(dataFolder));
    before = { tables, offsets: await readOffsets(dataFolder), truth: truthFile() };
    world = await serveWorldOne(dataFolder);
  }, TIMEOUT_MS);

  test('everything is there again at the next start', async () => {
    await expectHealthy(world.url);
    expect(`${world.server.stdout()}${world.server.stderr()}`).not.toContain('generating a world');
    expect(Number(before.tables.transfers?.rows)).toBeGreaterThan(10_000);
    for (const body of printedBodies(world.server))
      expect((await follow(world.url, body)).answer.end.reason).toBeTruthy();
  });

  testRetraceJob(() => world);

  test(
    'nothing was read in again, and the tables are as they were',
    async () => {
      await stopWorld(world.server);
      expect(await readOffsets(dataFolder)).toEqual(before.offsets);
      expect(await sumsOf(warehouseOf(dataFolder))).toEqual(before.tables);
      expect(truthFile()).toBe(before.truth);
    },
    TIMEOUT_MS,
  );
});

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createWorld } from '../../demo-world/create-world.ts';
import { createRandom } from '../../demo-world/random.ts';
import { DISTURBANCES, type Disturbance, type DisturbedRequest } from '../../demo-world/rpc/disturb.ts';
import { type ServedWorld, serveWorld } from '../../demo-world/rpc/serve-world.ts';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, runProgram, startProgram } from '../../testing/run-program.ts';
import { sumTablesIn, type TableSums } from '../../testing/table-sums.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const OPTIONS = { seed: 3, people: 12, days: 1, blockSeconds: 1_800 };
const DEAD = 'http://127.0.0.1:1';
const world = createWorld(OPTIONS);
const rangeOf = (chain: string) => world.range[chain] ?? { first: 0, last: 0 };

// Every third request fails, each in another way; but the third attempt at one succeeds, after which a command would
// give up. Which chain a node serves is asked in the same attempts as its newest block, so that question never fails.
const ASKED_FIRST = /"(?:getGenesisHash|eth_chainId)"/;
const random = createRandom(11);
const failures = new Map<string, number>();
const disturb = ({ path, body }: DisturbedRequest): Disturbance | null => {
  const question = `${path} ${body.replaceAll(/"id":[^,}]+/g, '')}`;
  const failed = failures.get(question) ?? 0;
  const fails = failed < 2 && !ASKED_FIRST.test(body) && random.unit() < 0.33;
  failures.set(question, fails ? failed + 1 : 0);
  return fails ? random.pick(DISTURBANCES) : null;
};
const folder = mkdtempSync(join(tmpdir(), 'spoor-ingest-'));
let served: ServedWorld;
let reference: Record<string, TableSums> = {};

const tablesOf = (dataFolder: string) => sumTablesIn(join(dataFolder, 'chain', 'warehouse'));

beforeAll(async () => {
  served = await serveWorld(world, { disturb });
  const blocks = join(folder, 'blocks');
  writeBlockFiles(blocks, OPTIONS);
  const replayed = await runCommand(['replay', blocks], { SPOOR_DATA: folder });
  expect(replayed, replayed.stderr).toMatchObject({ code: 0 });
  reference = await tablesOf(folder);
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

const chains = () =>
  JSON.stringify({
    solana: { urls: [DEAD, `${served.url}/solana`], websocket: null },
    ethereum: { urls: [DEAD, `${served.url}/ethereum`] },
  });

const ingest = async (dataFolder: string, ...args: (string | number)[]) => {
  const env = { SPOOR_DATA: dataFolder, SPOOR_CHAINS: chains() };
  const { code, stdout, stderr } = await runCommand(['ingest', '--json', ...args.map(String)], env);
  return { code, stderr, totals: stdout === '' ? null : JSON.parse(stdout) };
};

type Result = Awaited<ReturnType<typeof ingest>>;

const { first, last } = rangeOf('solana');
const middle = Math.floor((first + last) / 2);

describe('ranges from nodes that fail in every way', () => {
  const dataFolder = join(folder, 'from-nodes');
  let rest: Result;
  beforeAll(async () => {
    const other = rangeOf('ethereum');
    const args = ['--json', '--chain', 'ethereum', '--from', `${other.first}`, '--to', `${other.last}`];
    const env = { SPOOR_DATA: dataFolder, SPOOR_CHAINS: chains() };
    const { code, stdout, stderr } = await runProgram(PROGRAMS.cli, ['ingest', ...args], env);
    expect(code, stderr).toBe(0);
    const done = other.last - other.first + 1;
    expect(JSON.parse(stdout)).toMatchObject({ chain: 'ethereum', done, done_before: 0 });
    const part = await ingest(dataFolder, '--chain', 'solana', '--from', first + 5, '--to', middle);
    expect(part, part.stderr).toMatchObject({
      code: 0,
      totals: { chain: 'solana', done: middle - first - 4 },
    });
    rest = await ingest(dataFolder, '--chain', 'solana', '--from', first);
  });

  test('give the tables that the files of the same blocks give', async () => {
    expect(rest, rest.stderr).toMatchObject({ code: 0, totals: { chain: 'solana', first, last } });
    expect(await tablesOf(dataFolder)).toEqual(reference);
  });

  test('what was done before is not asked for again, whichever ranges it was done in', async () => {
    expect(rest.totals).toMatchObject({ done_before: middle - first - 4, done: last - middle + 5 });
    const again = await ingest(dataFolder, '--chain', 'solana', '--from', first);
    expect(again.totals).toMatchObject({ done: 0, blocks: 0, done_before: last - first + 1 });
  });
});

test('a range that is not final, or of a chain without a node, is refused with what to do', async () => {
  const dataFolder = temporaryFolder();
  const above = await ingest(dataFolder, '--chain', 'solana', '--from', first, '--to', last + 1);
  expect(above).toMatchObject({ code: 1, totals: null });
  expect(above.stderr).toContain(`the newest final block is ${last}: --to may not be above it`);
  const turned = await ingest(dataFolder, '--chain', 'solana', '--from', last, '--to', first);
  expect(turned.stderr).toContain(`--from ${last} is above`);
  const unknown = await ingest(dataFolder, '--chain', 'base', '--from', 1);
  expect(unknown).toMatchObject({ code: 1, totals: null });
  expect(unknown.stderr).toContain('SPOOR_CHAINS names no node');
  expect((await ingest(dataFolder, '--chain', 'solana', '--from', 'x')).code).toBe(2);
});

test('interrupted while its node is silent it ends with 130, as at any other moment', async () => {
  const asked = Promise.withResolvers<void>();
  const node = createServer(() => asked.resolve());
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    node.closeAllConnections();
    node.close();
  });
  const program = startProgram(PROGRAMS.cli, ['ingest', '--chain', 'solana', '--from', '1'], {
    SPOOR_DATA: temporaryFolder(),
    SPOOR_CHAINS: `solana=http://127.0.0.1:${(node.address() as AddressInfo).port}`,
  });
  await asked.promise;
  program.process.kill('SIGINT');
  expect(await program.ended).toEqual({ code: 130, signal: null });
  expect(program.stderr()).toBe('spoor: interrupted\n');
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../demo-world/create-world.ts';
import { type ServedWorld, serveWorld } from '../../demo-world/rpc/serve-world.ts';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { connectEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, startProgram } from '../../testing/run-program.ts';
import { sumTablesIn, type TableSums } from '../../testing/table-sums.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const OPTIONS = { seed: 3, people: 12, days: 1, blockSeconds: 1_800 };
const BLOCK_TABLES = new Set([
  'blocks',
  'transfers',
  'account_entries',
  'transactions',
  'swaps',
  'assets',
  'single_transactions',
  'control_blocks',
  'control_entries',
]);
const world = createWorld(OPTIONS);
const { first, last } = world.range.solana ?? { first: 0, last: 0 };
const folder = mkdtempSync(join(tmpdir(), 'spoor-wallets-'));
let served: ServedWorld;
beforeAll(async () => {
  served = await serveWorld(world);
  writeBlockFiles(join(folder, 'blocks'), OPTIONS);
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

/** Whose money went from wallet to wallet until it came to rest. */
const findThief = (): string => {
  const examples = world.examples();
  const thief = examples.find(({ chain, expectedEnd }) => chain === 'solana' && expectedEnd === 'at_rest');
  if (!thief) throw new Error('somebody keeps what was stolen in this world');
  return thief.start;
};

/** The tables that blocks fill; a running service has labels of its own. */
const sumBlockTables = async (dataFolder: string): Promise<Partial<Record<string, TableSums>>> => {
  const sums = await sumTablesIn(join(dataFolder, 'chain', 'warehouse'));
  return Object.fromEntries(Object.entries(sums).filter(([table]) => BLOCK_TABLES.has(table)));
};

/** Transactions that are known without their blocks, in the tables of a running service. */
const countSingle = async (dataFolder: string): Promise<number> => {
  const tables = await connectEmbeddedWarehouse({ folder: join(dataFolder, 'chain', 'warehouse') });
  const query = 'SELECT count() FROM single_transactions';
  const answer = await tables.reader.query({ query, format: 'JSONCompactEachRow' });
  const [[count = '0'] = []] = await answer.json<[string]>();
  await tables.close();
  return Number(count);
};

/** Without what money was worth: prices are derived when blocks are there. */
const movedIn = (answer: object): unknown =>
  JSON.parse(JSON.stringify(answer), (name, value) => (/^usd/.test(name) ? undefined : value));

type Answer = {
  hops: object[];
  end: { reason: string; address: string; detail: string };
  meta: { scope: string; data_from: number };
};

test('a wallet of which nothing is indexed is read from its chain while it is said so, and its blocks replace that later', async () => {
  const dataFolder = temporaryFolder();
  const chains = JSON.stringify({ solana: { urls: [`${served.url}/solana`], websocket: null } });
  const env = { SPOOR_DATA: dataFolder, SPOOR_PORT: '0', SPOOR_CHAINS: chains };
  const start = async () => {
    const server = startProgram(PROGRAMS.server, [], env);
    const [, url] = await server.printed(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m);
    const ask = async (): Promise<Answer> => {
      const body = JSON.stringify({ chain: 'solana', address: findThief() });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/follow`, { method: 'POST', headers, body });
      expect(response.status).toBe(200);
      return (await response.json()) as Answer;
    };
    const stop = async (): Promise<void> => {
      server.process.kill('SIGTERM');
      expect(await server.ended, server.stderr()).toMatchObject({ code: 0 });
    };
    return { ask, stop };
  };
  const service = await start();
  // The head is followed from its newest block on: nothing before it is known.
  const unknown = await service.ask();
  expect(unknown).toMatchObject({ hops: [], end: { reason: 'no_data' }, meta: { scope: 'partial' } });
  expect(unknown.end.detail).toContain('ask again');
  // Each wallet that the money reached is unknown in its turn: none is said to hold it before it was read.
  const stopsAt = new Set<string>();
  const asked = async (): Promise<string> => {
    const { end } = await service.ask();
    if (end.reason === 'no_data') stopsAt.add(end.address);
    return end.reason;
  };
  await expect.poll(asked, PATIENCE).not.toBe('no_data');
  expect(stopsAt.size).toBeGreaterThan(1);
  const told = await service.ask();
  // Wallets had coins before the first block of this world: no transaction tells of them, so that more may be missing.
  expect(told.meta.scope).toBe('partial');
  expect(await countSingle(dataFolder)).toBeGreaterThan(0);

  // Beside it: who serves fills the tables.
  const range = ['--chain', 'solana', '--from', String(first), '--to', String(last)];
  const ingested = await runCommand(['ingest', ...range], env);
  expect(ingested, ingested.stderr).toMatchObject({ code: 0 });
  const dataFrom = async () => (await service.ask()).meta.data_from;
  await expect.poll(dataFrom, PATIENCE).toBeLessThan(told.meta.data_from);
  const { hops, end } = await service.ask();
  expect(movedIn({ hops, end })).toEqual(movedIn({ hops: told.hops, end: told.end }));
  await service.stop();
  const blocks = join(folder, 'blocks', 'solana');
  const replayed = await runCommand(['replay', blocks], { SPOOR_DATA: folder });
  expect(replayed, replayed.stderr).toMatchObject({ code: 0 });
  expect(await sumBlockTables(dataFolder)).toEqual(await sumBlockTables(folder));
});

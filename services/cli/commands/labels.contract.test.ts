import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../demo-world/create-world.ts';
import type { TruthLine } from '../../demo-world/truth.ts';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { startScriptedNode } from '../../testing/nodes/scripted-node.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, type Program, runProgram, startProgram } from '../../testing/run-program.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const OPTIONS = { seed: 3, people: 12, days: 1, blockSeconds: 1_800 };

type Trail = Extract<TruthLine, { type: 'trail' }>;
type Totals = Record<'rows' | 'new' | 'changed' | 'known' | 'repeated' | 'refused', number> & {
  readonly refusals: Readonly<Record<string, number>>;
};

const dataFolder = mkdtempSync(join(tmpdir(), 'spoor-labels-'));
const trails: Trail[] = [];

beforeAll(async () => {
  const note = (line: TruthLine): void => {
    if (line.type === 'trail' && line.end.reason === 'at_rest' && line.hops.length > 1) trails.push(line);
  };
  for (const _ of createWorld(OPTIONS, note).blocks());
  const blocks = join(dataFolder, 'blocks');
  writeBlockFiles(blocks, OPTIONS);
  const replayed = await runCommand(['replay', blocks], { SPOOR_DATA: dataFolder });
  expect(replayed, replayed.stderr).toMatchObject({ code: 0 });
});
afterAll(() => rmSync(dataFolder, { recursive: true }));

/** As a process where others run beside it. */
const startCommand: typeof runCommand = async (args, env) => {
  const { code, stdout, stderr } = await runProgram(PROGRAMS.cli, args, env);
  return { code: code ?? -1, stdout, stderr };
};

const importList = async (folder: string, rows: readonly string[], more: string[] = [], run = runCommand) => {
  const file = join(temporaryFolder(), 'a-list.csv');
  writeFileSync(file, `${['address,chain,name,kind,source', ...rows].join('\n')}\n`);
  const args = ['labels', 'import', 'csv', file, '--json', ...more];
  const { code, stdout, stderr } = await run(args, { SPOOR_DATA: folder });
  expect(code, stderr).toBe(0);
  return { totals: JSON.parse(stdout) as Totals, stderr };
};

const start = (...roles: string[]): Program =>
  startProgram(PROGRAMS.cli, ['start', ...roles], { SPOOR_DATA: dataFolder, SPOOR_PORT: '0' });
const urlOf = async (server: Program): Promise<string> =>
  (await server.printed(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m))[1] ?? '';

/** Where the trail's money ends, and who that is. */
const followed = async (url: string, { chain, start: address, since, asset }: Trail) => {
  const response = await fetch(`${url}/follow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chain, address, since, asset }),
  });
  const { hops, end } = (await response.json()) as {
    hops: { to: string; to_label: object | null }[];
    end: { reason: string };
  };
  return { reason: end.reason, hops: hops.length, label: hops.at(-1)?.to_label };
};

test('every row is counted as taken or named as refused, the same list again is known, and a trial stores nothing', async () => {
  const folder = temporaryFolder();
  const rows = [
    '0x28C6c06298d514Db089934071355E5743bf21d60,ethereum,Alder 14,exchange,a',
    '0x28c6c06298d514db089934071355e5743bf21d60,ethereum,Alder 14,exchange,a',
    '0x28c6C06298d514Db089934071355E5743bf21d60,ethereum,Alder 15,exchange,a',
    '9wzdxwbbmkg8ztbnmquxvqraryzzdsgydlvl9zytaww,solana,Alder 2,exchange,a',
    ',ethereum,Nobody,exchange,a',
    '0x28C6c06298d514Db089934071355E5743bf21d60,ethereum,Alder 14,exchange,curated',
  ];
  const trial = await importList(folder, rows, ['--dry-run']);
  expect(readdirSync(folder)).toEqual([]);
  const first = await importList(folder, rows);
  const counts = { rows: 6, changed: 0, repeated: 1, refused: 4 };
  for (const { totals, stderr } of [trial, first]) {
    expect(stderr).toMatch(/^1 rows, 0 refused$/m);
    expect(totals).toMatchObject({ ...counts, new: 1, known: 0, kinds: { exchange: 1 } });
    expect(totals).toMatchObject({
      refusals: { bad_checksum: 1, lower_cased: 1, no_address: 1, reserved_source: 1 },
    });
    for (const line of ['line 4', 'line 5', 'line 6', 'line 7']) expect(stderr).toContain(`refused: ${line}`);
  }
  const again = await importList(folder, rows);
  expect(again.totals).toMatchObject({ ...counts, new: 0, known: 1 });
});

test('vote accounts that a node knows are refused whatever the list calls them, and without its answer only by words', async () => {
  const rows = [
    '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM,solana,Alder Staking,other,a',
    '2ojv9BAiHUrvsm9gxDe7fJSzbNZSJcxZvf8dqmWGHG8S,solana,Birch 1,exchange,a',
  ];
  const file = join(temporaryFolder(), 'votes.csv');
  writeFileSync(file, `address,chain,name,kind,source\n${rows.join('\n')}\n`);
  let isAnswering = true;
  const votePubkey = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
  const node = await startScriptedNode({
    answer: () =>
      isAnswering
        ? { result: { current: [{ votePubkey }], delinquent: [] } }
        : { error: { code: -32601, message: 'Method not found' } },
  });
  const env = { SPOOR_DATA: temporaryFolder(), SPOOR_CHAINS: JSON.stringify({ solana: node.url }) };
  const args = ['labels', 'import', 'csv', file, '--json', '--dry-run'];
  const asked = await runCommand(args, env);
  expect(asked.code, asked.stderr).toBe(0);
  expect(JSON.parse(asked.stdout)).toMatchObject({ new: 1, refusals: { vote_account: 1 } });
  isAnswering = false;
  const unasked = await runCommand(args, env);
  expect(JSON.parse(unasked.stdout)).toMatchObject({ new: 2, refused: 0 });
  expect(unasked.stderr).toContain('vote accounts are only known by the words of the rows');
});

test('a list that is imported while servers run is in the answers of each of them within seconds', async () => {
  const [before, during] = trails;
  if (!before || !during) throw new Error('the world has too few trails');
  const rowOf = ({ chain, hops }: Trail, name: string) => `${hops[0]},${chain},${name},exchange,test`;
  await importList(dataFolder, [rowOf(before, 'Alder 1')]);
  const urls = [await urlOf(start('sink', 'api')), await urlOf(start('api'))];
  for (const url of urls) {
    const ended = { reason: 'exchange', hops: 1, label: { name: 'Alder 1', kind: 'exchange' } };
    expect(await followed(url, before)).toEqual(ended);
    expect(await followed(url, during)).toMatchObject({ reason: 'at_rest', label: null });
  }
  await importList(dataFolder, [rowOf(during, 'Birch 1')], [], startCommand);
  for (const url of urls) {
    const ended = { reason: 'exchange', hops: 1, label: { name: 'Birch 1', kind: 'exchange' } };
    await expect.poll(() => followed(url, during), PATIENCE).toEqual(ended);
  }
});

test('a history of prices is imported once, each refused row is named, and a file that is none is refused whole', async () => {
  const folder = temporaryFolder();
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const file = write('sol.csv', 'date,close\n2024-05-01,2.5\n2024-05-02,3\nnever,1\n');
  const args = ['prices', 'import', file, '--chain', 'solana', '--asset', 'native', '--json'];
  const run = () => runCommand(args, { SPOOR_DATA: join(folder, 'data') });
  const first = await run();
  expect(first.stderr).toContain('line 4: time "never"');
  expect(JSON.parse(first.stdout)).toMatchObject({ rows: 3, new: 2, known: 0, refusals: { bad_time: 1 } });
  expect(JSON.parse((await run()).stdout)).toMatchObject({ new: 0, known: 2, refused: 1 });
  const which = ['--chain', 'solana', '--asset', 'SOL', '--source', 'sol', '--from', '2024-05-01', '--json'];
  const withdraw = () => runCommand(['prices', 'withdraw', ...which], { SPOOR_DATA: join(folder, 'data') });
  expect(await withdraw()).toMatchObject({ code: 0, stdout: expect.stringContaining('"withdrawn":1') });
  expect(await withdraw()).toMatchObject({ code: 1, stdout: expect.stringContaining('"withdrawn":0') });
  const noAsset = await runCommand(['prices', 'withdraw', ...which.with(3, 'DOLLARS')], {
    SPOOR_DATA: folder,
  });
  expect(noAsset).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--asset') });
  const other = write('other.csv', 'a,b\n1,2\n');
  const refused = await runProgram(PROGRAMS.cli, ['prices', 'import', other], { SPOOR_DATA: folder });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^spoor: .*other\.csv has no column time, usd, chain, asset; it has a, b$/m);
});

test('a thief’s list that names a shipped exchange’s wallet is told of it, and stores it only when told to', async () => {
  // As it is printed on the chain's explorers, with capital letters.
  const address = '0x3f5CE5FBFe3E9af3971dD833D26bA9b5C936f0bE';
  const rows = [`${address},ethereum,Drainer 7,hack,thieves`];
  const folder = temporaryFolder();
  const first = await importList(folder, rows);
  expect(first.totals).toMatchObject({ rows: 1, new: 0, refused: 1, refusals: { quarantined: 1 } });
  expect(first.stderr).toContain('is not stored without --accept: curated calls it Binance (exchange)');
  const accepted = await importList(folder, rows, ['--accept', address]);
  expect(accepted.totals).toMatchObject({ new: 1, refused: 0 });
});

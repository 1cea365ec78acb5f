import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { openStore } from '../../roles/store/open-store.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, runProgram } from '../../testing/run-program.ts';
import { sumTablesIn } from '../../testing/table-sums.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

type Failure = { path: string; code: string; reason: string };
type Totals = {
  name: string;
  blocks: number;
  bytes: number;
  done_before: number;
  refused: number;
  refused_before: number;
  unreadable: number;
  failures: Failure[];
};

/** As a process: one of each exit code. */
const start = (dataFolder: string, ...args: string[]) =>
  runProgram(PROGRAMS.cli, ['replay', ...args], { SPOOR_DATA: dataFolder });
const replay = (dataFolder: string, ...args: string[]) =>
  runCommand(['replay', ...args], { SPOOR_DATA: dataFolder });

const totalsOf = ({ code, stdout, stderr }: Awaited<ReturnType<typeof start | typeof replay>>) => {
  // Whoever reads it by program gets one line and nothing else.
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return { code, stderr, totals: JSON.parse(stdout) as Totals };
};
const replayForTotals = async (dataFolder: string, ...args: string[]) =>
  totalsOf(await replay(dataFolder, '--json', ...args));

const tablesOf = (dataFolder: string) => sumTablesIn(join(dataFolder, 'chain', 'warehouse'));

/** Every record of these topics, as the log holds it. */
const readLog = async (dataFolder: string, topics: readonly string[]) => {
  const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: 1 << 20 });
  try {
    const ranges = (await Promise.all(topics.map((topic) => store.log.ranges(topic)))).flat();
    const read = ranges.map((r) => store.log.read({ ...r, offset: r.begin, maxBytes: 1 << 30 }));
    return (await Promise.all(read)).flat();
  } finally {
    await store.close();
  }
};
const TRANSFERS = ['transfers.history', 'transfers.head'];

const write = (folder: string, files: Readonly<Record<string, string | Buffer>>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
};

const SMALL_WORLD = { seed: 3, people: 3, days: 1, blockSeconds: 14_400 };

// A few good blocks of both families, replayed once; each test has a copy of its own.
const base = mkdtempSync(join(tmpdir(), 'spoor-replay-'));
const goodFolder = join(base, 'blocks');
let blocks = 0;
let tables: Awaited<ReturnType<typeof tablesOf>>;
let printed: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  ({ blocks } = writeBlockFiles(goodFolder, SMALL_WORLD));
  printed = await start(join(base, 'data'), goodFolder);
  expect(printed.code, printed.stderr).toBe(0);
  tables = await tablesOf(join(base, 'data'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const copyOf = (folder: string, copy = temporaryFolder()): string => {
  // Links within the engine's folder lead to that of the original otherwise.
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
};
const replayed = (): string => copyOf(join(base, 'data'));

test('a block that the tables refuse, since another stands in its place, is told, and the run has failed', async () => {
  const chainFolder = join(goodFolder, 'ethereum');
  const [number = ''] = readdirSync(chainFolder);
  const other = join(temporaryFolder(), 'ethereum', number);
  cpSync(join(chainFolder, number), other, { recursive: true });
  const { hash } = JSON.parse(readFileSync(join(other, 'block.json'), 'utf8')) as { hash: string };
  for (const name of readdirSync(other)) {
    const text = readFileSync(join(other, name), 'utf8');
    writeFileSync(join(other, name), text.replaceAll(hash, `0x${'e'.repeat(64)}`));
  }
  const second = totalsOf(await start(replayed(), '--json', dirname(other)));
  const reason = 'another block stands in its place, and both are said to be final';
  expect(second).toMatchObject({ code: 1, totals: { blocks: 1, refused_by_tables: { [reason]: 1 } } });
  expect(second.stderr).toContain('the tables refused 1 records');
});

test('a second run reads no file again, and changes nothing', async () => {
  const dataFolder = replayed();
  const records = (await readLog(dataFolder, TRANSFERS)).length;
  expect(records).toBeGreaterThanOrEqual(blocks);
  const second = await replayForTotals(dataFolder, goodFolder);
  expect(second).toMatchObject({ code: 0, totals: { blocks: 0, bytes: 0, done_before: blocks } });
  expect((await readLog(dataFolder, TRANSFERS)).length).toBe(records);
  expect(await tablesOf(dataFolder)).toEqual(tables);
});

test('the same blocks under another name are read, and stored once; without --json stdout stays empty', async () => {
  expect(printed).toMatchObject({ code: 0, stdout: '' });
  const dataFolder = replayed();
  const second = await replayForTotals(dataFolder, copyOf(goodFolder));
  expect(second).toMatchObject({ code: 0, totals: { blocks, done_before: 0, failures: [] } });
  expect(await tablesOf(dataFolder)).toEqual(tables);
});

const EVM_BLOCK = {
  number: '0x10',
  hash: `0x${'1'.repeat(64)}`,
  parentHash: `0x${'2'.repeat(64)}`,
  timestamp: '0x5',
  transactions: [],
};
const SOLANA_BLOCK = { blockhash: 'b', previousBlockhash: 'a', parentSlot: 6, blockTime: 5 };
const GZIP = gzipSync(JSON.stringify({ ...SOLANA_BLOCK, transactions: [], padding: 'x'.repeat(9_000) }));

/** What people have lying about, and the code it is refused with. */
const BROKEN: Readonly<Record<string, readonly [string | Buffer, string]>> = {
  'truncated.json.gz': [GZIP.subarray(0, -20), 'not_gzip'],
  'no-gzip.json.gz': ['plain text', 'not_gzip'],
  'empty.json.gz': ['', 'not_gzip'],
  'string.json': ['"this is not a block"', 'not_a_block'],
  'cut.json': ['{"blockhash": "b", "transactions": [{"meta"', 'not_json'],
  'empty.json': ['', 'not_json'],
  'null.json': ['null', 'not_a_block'],
  'list.json': ['[]', 'not_a_block'],
  'nothing.json': ['{}', 'slot_unknown'],
  '7.json': ['{', 'not_json'],
  'get-transaction.json': [
    JSON.stringify({ slot: 7, blockTime: 5, transaction: { message: {}, signatures: [] }, meta: {} }),
    'not_a_block',
  ],
  'rpc-error.json': [
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32007,"message":"Slot was skipped"}}',
    'node_error',
  ],
  '8-evm.json': [JSON.stringify(EVM_BLOCK), 'not_a_block'],
};

/** Blocks whose outline is right and whose inside is not. */
const ODD_SHAPES: readonly object[] = [
  { ...SOLANA_BLOCK },
  { ...SOLANA_BLOCK, transactions: null },
  { ...SOLANA_BLOCK, transactions: 'none' },
  { ...SOLANA_BLOCK, transactions: [null, 1, 'x', [], {}] },
  { ...SOLANA_BLOCK, transactions: [{ transaction: null, meta: null }] },
  { ...SOLANA_BLOCK, transactions: [{ transaction: ['AAAA', 'base64'], meta: {} }] },
  { ...SOLANA_BLOCK, transactions: [{ transaction: { signatures: [], message: {} }, meta: { err: null } }] },
  { ...SOLANA_BLOCK, transactions: [], rewards: [{ pubkey: 7, lamports: 'many' }] },
  { ...SOLANA_BLOCK, transactions: [], parentSlot: 'six' },
  { ...SOLANA_BLOCK, transactions: [], blockTime: 'noon' },
  { ...SOLANA_BLOCK, transactions: [], blockhash: 9 },
  { ...SOLANA_BLOCK, transactions: [], parentSlot: -5, blockTime: 1.5 },
];
const ODD_EVM: readonly (readonly [unknown, unknown])[] = [
  [{ ...EVM_BLOCK, number: null }, []],
  [{ ...EVM_BLOCK, number: '0xffffffffffffffffffff' }, []],
  [{ ...EVM_BLOCK, timestamp: 'noon' }, []],
  [{ ...EVM_BLOCK, transactions: [{}] }, [{}]],
  [{ ...EVM_BLOCK, transactions: [null] }, [null]],
  [{ ...EVM_BLOCK, transactions: 5 }, 5],
  [{ ...EVM_BLOCK, withdrawals: [{ amount: '-1' }] }, []],
  [EVM_BLOCK, [{ transactionHash: '0x1' }]],
  [null, []],
];

describe('among good blocks lies what people have lying about', () => {
  const folder = join(base, 'messy');
  const dataFolder = join(base, 'messy-data');
  const nameOf = (path: string) => path.slice(folder.length + 1);
  const isOdd = ({ path }: Pick<Failure, 'path'>) => nameOf(path).startsWith('odd/');
  /** The tables have letters of their own: odd blocks take each other's place. */
  const lettersOfFiles = async () =>
    (await readLog(dataFolder, ['dead-letters'])).filter(({ headers }) =>
      headers.source?.startsWith(`${folder}/`),
    );
  let broken: typeof BROKEN;
  let first: ReturnType<typeof totalsOf>;
  beforeAll(async () => {
    copyOf(goodFolder, folder);
    copyOf(join(base, 'data'), dataFolder);
    const [someBlock = ''] = readdirSync(join(folder, 'ethereum'));
    const block = readFileSync(join(folder, 'ethereum', someBlock, 'block.json'));
    broken = { ...BROKEN, 'ethereum/99/block.json': [block, 'receipts_missing'] };
    write(folder, Object.fromEntries(Object.entries(broken).map(([name, [content]]) => [name, content])));
    for (const [i, shape] of ODD_SHAPES.entries())
      write(folder, { [`odd/${i + 7}.json`]: JSON.stringify(shape) });
    for (const [i, [odd, receipts]] of ODD_EVM.entries())
      write(folder, {
        [`odd/ethereum/${i + 1}/block.json`]: JSON.stringify(odd),
        [`odd/ethereum/${i + 1}/receipts.json`]: JSON.stringify(receipts),
      });
    first = await replayForTotals(dataFolder, folder);
  });

  test('no shape of a file ends the run: every one is a block or a dead letter', () => {
    expect(first.code, first.stderr).toBe(0);
    const files = ODD_SHAPES.length + ODD_EVM.length;
    const odd = first.totals.failures.filter(isOdd).length;
    expect(first.totals.blocks).toBe(blocks + files - odd);
    expect(first.totals.refused).toBe(odd + Object.keys(broken).length);
    expect(odd).toBeGreaterThan(5);
    expect(odd).toBeLessThan(files);
  });

  test('each broken file is named with its reason and is a dead letter once, until it is put right; the rest is stored', async () => {
    const { failures, refused } = first.totals;
    expect(first).toMatchObject({ code: 0, totals: { unreadable: 0 } });
    const codes = failures.filter((each) => !isOdd(each)).map(({ path, code }) => [nameOf(path), code]);
    expect(Object.fromEntries(codes)).toEqual(
      Object.fromEntries(Object.entries(broken).map(([name, [, code]]) => [name, code])),
    );
    for (const { path, code, reason } of failures)
      expect(first.stderr).toContain(`not read: ${path}: ${code}: ${reason}`);
    const letters = await lettersOfFiles();
    expect(letters.map(({ headers }) => headers.source).sort()).toEqual(
      failures.map(({ path }) => path).sort(),
    );
    for (const { headers, value } of letters) {
      const path = headers.source ?? '';
      const [content] = broken[nameOf(path)] ?? [];
      if (!isOdd({ path })) expect(value, path).toEqual(Buffer.from(content ?? ''));
      const failure = failures.find((each) => each.path === path);
      expect(headers.reason).toBe(`${failure?.code}: ${failure?.reason}`);
    }
    writeFileSync(join(folder, '7.json'), JSON.stringify({ ...SOLANA_BLOCK, transactions: [], rewards: [] }));
    const second = await replayForTotals(dataFolder, folder);
    expect(second).toMatchObject({
      code: 0,
      totals: { blocks: 1, refused: 0, refused_before: refused - 1, done_before: first.totals.blocks },
    });
    for (const { path, code, reason } of failures)
      if (nameOf(path) !== '7.json') expect(second.stderr).toContain(`not read: ${path}: ${code}: ${reason}`);
    expect(await lettersOfFiles()).toHaveLength(refused);
  });
});

test('a first replay that finds no block makes no store, which would take the place of the generated world', async () => {
  const dataFolder = temporaryFolder();
  const absent = join(dataFolder, 'ethereun');
  const { code, stderr, totals } = await replayForTotals(dataFolder, absent);
  expect({ code, unreadable: totals.unreadable }).toEqual({ code: 1, unreadable: 1 });
  expect(stderr).toContain(`not read: ${absent}: unreadable: ENOENT`);
  const other = temporaryFolder();
  write(other, { 'package.json': '{}', 'notes.txt': 'none' });
  expect(await replayForTotals(dataFolder, other)).toMatchObject({
    code: 1,
    totals: { refused: 1, blocks: 0 },
  });
  expect(readdirSync(dataFolder)).toEqual([]);
});

describe('what cannot be read now', () => {
  const folder = join(base, 'unreadable');
  const dataFolder = join(base, 'unreadable-data');
  const downloads = join(base, 'downloads');
  const absent = join(folder, 'absent');
  // Within the folder: links out of it are refused. By its name it is no block itself.
  const target = join(folder, 'later.part');
  const link = join(folder, '7.json');
  let ofUnknown = 0;
  let first: ReturnType<typeof totalsOf>;
  beforeAll(async () => {
    copyOf(goodFolder, folder);
    copyOf(join(base, 'data'), dataFolder);
    copyOf(join(folder, 'ethereum'), downloads);
    symlinkSync(target, link);
    ofUnknown = readdirSync(downloads).length;
    first = await replayForTotals(dataFolder, absent, folder, downloads);
  });

  test('is named, fails the run, and is tried again at the next', async () => {
    expect(first).toMatchObject({ code: 1, totals: { blocks, unreadable: ofUnknown + 2, refused: 0 } });
    for (const path of [absent, link]) expect(first.stderr).toContain(`not read: ${path}:`);
    expect(await readLog(dataFolder, ['dead-letters'])).toEqual([]);
    writeFileSync(target, JSON.stringify({ ...SOLANA_BLOCK, transactions: [], rewards: [] }));
    expect(await replayForTotals(dataFolder, folder)).toMatchObject({ code: 0, totals: { blocks: 1 } });
  });

  test('is a folder that names no chain we know, until the chain is named; a wrong one can be put right', async () => {
    const unnamed = first.totals.failures.filter(({ path }) => path.startsWith(`${downloads}/`));
    expect(unnamed).toHaveLength(ofUnknown);
    for (const { reason } of unnamed) expect(reason).toContain('--chain');
    expect(await readLog(dataFolder, ['dead-letters'])).toEqual([]);
    for (const chain of ['base', 'polygon'])
      expect(await replayForTotals(dataFolder, downloads, '--chain', chain)).toMatchObject({
        ...{ code: 0, totals: { blocks: ofUnknown, done_before: 0 } },
      });
    expect(await replay(dataFolder, downloads, '--chain', 'downloads')).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  const NOBODY = 65_534;
  const isRoot = process.getuid?.() === 0;
  const asNobody = isRoot ? NOBODY : undefined;
  const OPENS = `require('node:fs').openSync(process.argv[1])`;
  /** A folder is closed to nobody but root; another user must at least be able to start Node and read the program. */
  const canBeClosed = (): boolean =>
    !isRoot || spawnSync(PROGRAMS.cli[0], ['-e', OPENS, PROGRAMS.cli[1]], { uid: NOBODY }).status === 0;

  test.skipIf(!canBeClosed())(
    'a folder that is closed to us keeps nothing else from being read',
    async () => {
      const folder = copyOf(goodFolder);
      const dataFolder = replayed();
      const closed = join(folder, 'a-closed-folder');
      mkdirSync(closed);
      chmodSync(closed, 0);
      const held = readdirSync(dataFolder, { recursive: true, encoding: 'utf8' });
      const theirs = [folder, closed, dataFolder, ...held.map((name) => join(dataFolder, name))];
      if (isRoot) for (const path of theirs) chownSync(path, NOBODY, NOBODY);
      const request = [
        PROGRAMS.cli,
        ['replay', '--json', folder],
        { SPOOR_DATA: dataFolder },
        asNobody,
      ] as const;
      const { code, stdout, stderr } = await runProgram(...request);
      expect(code, stderr).toBe(1);
      expect(stderr).toContain(`not read: ${closed}: unreadable: EACCES`);
      expect(JSON.parse(stdout)).toMatchObject({ blocks, unreadable: 1 });
      chmodSync(closed, 0o700);
    },
  );
});

test('wrong usage is told and ends with 2, a wrong variable with 1', async () => {
  const dataFolder = temporaryFolder();
  expect(await start(dataFolder)).toMatchObject({ code: 2, stdout: '' });
  const { code, stderr } = await runCommand(['replay', dataFolder], {
    SPOOR_DATA: dataFolder,
    SPOOR_LOG_LEVEL: 'loud',
  });
  expect(code).toBe(1);
  expect(stderr).toContain('SPOOR_LOG_LEVEL');
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { BlockFormatError } from '../block-format-error.ts';
import { type BlockFile, findBlockFiles } from './block-files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'block-files-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = (path: string, content: unknown): string => {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(full, path.endsWith('.gz') ? gzipSync(text) : text);
  return full;
};

const SOLANA = { blockhash: 'a', previousBlockhash: 'b', parentSlot: 8, blockTime: null, transactions: [] };

const find = async (
  paths: readonly string[],
  chain: string | null = null,
  ignored: string[] = [],
): Promise<BlockFile[]> => {
  const files: BlockFile[] = [];
  const options = { chain, votes: 'each' as const, ignored: (path: string) => ignored.push(basename(path)) };
  for await (const file of findBlockFiles(paths, options)) files.push(file);
  return files;
};

const codeOf = async (file: BlockFile | undefined): Promise<string> => {
  try {
    (await file?.read())?.decode();
    return 'none';
  } catch (error) {
    return error instanceof BlockFormatError ? error.code : String(error);
  }
};

test('folders are walked in the order of their numbers, and other files are told as ignored', async () => {
  write('10.json', SOLANA);
  write('9.json.gz', SOLANA);
  write('later/11.base64.json', SOLANA);
  write('INDEX.csv', 'slot');
  const ignored: string[] = [];
  const files = await find([folder], null, ignored);
  expect(files.map(({ path }) => basename(path))).toEqual(['9.json.gz', '10.json', '11.base64.json']);
  expect(ignored).toEqual(['INDEX.csv']);
  const blocks = await Promise.all(files.map(async (file) => (await file.read()).decode()));
  expect(blocks.map(({ chain, number }) => [chain, number])).toEqual([
    ['solana', 9],
    ['solana', 10],
    ['solana', 11],
  ]);
});

test('what is named by itself and by a folder around it is given once, whichever comes first', async () => {
  const [file, evm] = [
    write('10.json', SOLANA),
    dirname(write('ethereum/17/block.json', { number: '0x11' })),
  ];
  write('ethereum/17/receipts.json', []);
  const within = dirname(write('later/11.json', SOLANA));
  const notes = write('notes.txt', 'walked folders do not give it');
  const named = [file, join(evm, 'receipts.json'), evm, within, join(folder, 'later', '..')];
  for (const paths of [
    [folder, ...named],
    [...named, folder],
  ]) {
    const given = (await find(paths)).map(({ path }) => basename(path));
    expect(given.toSorted()).toEqual(['10.json', '11.json', '17']);
  }
  expect((await find([folder, notes])).map(({ path }) => path)).toContain(notes);
});

test('a link is followed where it is named or leads to a file of its folder; one that leads out of it or round in a circle is said not to be', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'block-files-'));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  writeFileSync(join(outside, '11.json'), JSON.stringify(SOLANA));
  write('10.json', SOLANA);
  const [away, round] = [join(folder, 'away'), join(folder, 'round')];
  symlinkSync(outside, away);
  symlinkSync(folder, round);
  symlinkSync(join(outside, '11.json'), join(folder, '12.json'));
  symlinkSync(join(folder, '10.json'), join(folder, '13.json'));
  const given: string[] = [];
  const unreadable: string[] = [];
  const tell = (path: string, error: Error) => unreadable.push(`${path}: ${Object(error).code}`);
  const options = { chain: null, votes: 'each' as const, unreadable: tell };
  for await (const { path } of findBlockFiles([folder, away], options)) given.push(path);
  expect(given).toEqual([join(folder, '10.json'), join(folder, '13.json'), join(away, '11.json')]);
  expect(unreadable).toEqual([`${join(folder, '12.json')}: link_outside`, `${round}: link_to_folder`]);
});

test('a part of an EVM block that is a link out of its folder is not read', async () => {
  const secret = write('elsewhere/secret.json', []);
  const block = write('blocks/ethereum/17/block.json', { number: '0x11' });
  symlinkSync(secret, join(dirname(block), 'receipts.json'));
  const unreadable: string[] = [];
  const tell = (path: string, error: Error) => unreadable.push(`${basename(path)}: ${Object(error).code}`);
  const options = { chain: null, votes: 'each' as const, unreadable: tell };
  const walked = findBlockFiles([join(folder, 'blocks')], options);
  for await (const { path } of walked) expect.fail(path);
  expect(unreadable).toEqual(['receipts.json: link_outside']);
});

test.skipIf(process.platform === 'win32')('a pipe in a folder is not waited for', async () => {
  write('10.json', SOLANA);
  execFileSync('mkfifo', [join(folder, '11.json')]);
  const [, pipe] = await find([folder]);
  await expect(pipe?.read()).rejects.toThrow('pipe or a device');
});

test('an EVM block is one folder, however many of its parts are named, and its chain is the folder above', async () => {
  const block = write('ethereum/17/block.json', { number: '0x11' });
  const receipts = write('ethereum/17/receipts.json.gz', []);
  write('ethereum/17/expected/transfers.json', []);
  for (const paths of [[folder], [block, receipts], [dirname(block)]]) {
    const files = await find(paths);
    expect(files.map(({ path }) => basename(path))).toEqual(['17']);
  }
});

test('a block file may have any name: one called like a part of an EVM block is told by what it holds', async () => {
  for (const name of ['alone/block.json', 'packed/block.json.gz', '123/block.json']) {
    const path = write(name, SOLANA);
    for (const named of [path, dirname(path)]) {
      const [file, ...others] = await find([named]);
      expect(others).toEqual([]);
      expect((await file?.read())?.decode()).toMatchObject({ chain: 'solana', number: 9 });
    }
  }
  const beside = write('mixed/block.json', SOLANA);
  write('mixed/10.json', SOLANA);
  expect((await find([dirname(beside)])).map(({ path }) => basename(path))).toEqual([
    '10.json',
    'block.json',
  ]);
  write('mixed/receipts.json', []);
  const [file] = await find([beside]);
  expect((await file?.read())?.decode()).toMatchObject({ chain: 'solana', number: 9 });
});

test('an EVM block without one of its two parts says which one is missing', async () => {
  const block = write('ethereum/18/block.json', { number: '0x12', parentHash: '0x' });
  for (const named of [block, dirname(block)])
    expect(await codeOf((await find([named]))[0])).toBe('receipts_missing');
  const receipts = write('ethereum/19/receipts.json', []);
  expect(await codeOf((await find([receipts]))[0])).toBe('block_missing');
});

test('an EVM folder that does not say its chain needs it named', async () => {
  const path = dirname(write('somewhere/block.json', {}));
  write('somewhere/receipts.json', []);
  expect(await codeOf((await find([path]))[0])).toBe('chain_unknown');
  expect(await codeOf((await find([path], 'ethereum'))[0])).not.toBe('chain_unknown');
});

test('a block is refused under the name of a chain of the other family', async () => {
  const solana = write('7.json', SOLANA);
  expect(await codeOf((await find([solana], 'ethereum'))[0])).toBe('chain_family');
  const evm = dirname(write('solana/17/block.json', { number: '0x11' }));
  write('solana/17/receipts.json', []);
  expect(await codeOf((await find([evm]))[0])).toBe('chain_family');
});

test('a file read as another chain counts as changed', async () => {
  const path = write('7.json', SOLANA);
  const versions = await Promise.all([null, 'solana', 'ethereum'].map((chain) => find([path], chain)));
  expect(new Set(versions.map(([file]) => file?.version)).size).toBe(3);
});

test('files that hold something else are refused with a reason, not with a crash', async () => {
  const cases = {
    'transaction.json': [{ transaction: {}, meta: {}, slot: 5 }, 'not_a_block'],
    'evm.json': [{ parentHash: '0x', hash: '0x', number: '0x1' }, 'not_a_block'],
    'list.json': [[1], 'not_a_block'],
    'text.json': ['{"blockhash"', 'not_json'],
    'empty.json': ['', 'not_json'],
    'error.json': [{ jsonrpc: '2.0', error: { code: -32_007, message: 'Slot 5 was skipped' } }, 'node_error'],
    'unnamed.json': [{ ...SOLANA, parentSlot: null }, 'slot_unknown'],
  } as const;
  for (const [name, [content, code]] of Object.entries(cases))
    expect([name, await codeOf((await find([write(name, content)]))[0])]).toEqual([name, code]);
  const damaged = join(folder, '5.json.gz');
  writeFileSync(damaged, 'no gzip');
  expect(await codeOf((await find([damaged]))[0])).toBe('not_gzip');
});

test('a packed block is unpacked whatever its name, and what an editor writes before a text is no part of it', async () => {
  const path = join(folder, '9.json');
  const text = JSON.stringify(SOLANA);
  for (const content of [gzipSync(text), `\uFEFF${text}`, gzipSync(`\uFEFF${text}`)]) {
    writeFileSync(path, content);
    const [file] = await find([path]);
    expect((await file?.read())?.decode()).toMatchObject({ number: 9, hash: 'a' });
  }
});

test('a whole JSON-RPC answer is taken for its result', async () => {
  const path = write('answer.json', { jsonrpc: '2.0', id: 1, result: SOLANA });
  const [file] = await find([path]);
  expect((await file?.read())?.decode().number).toBe(9);
});

test('a path that is not there is an error of the file system', async () => {
  await expect(find([join(folder, 'absent.json')])).rejects.toThrow('ENOENT');
});

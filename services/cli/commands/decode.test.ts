import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  block as blockOf,
  FEE,
  keyOf,
  SYSTEM,
  systemTransfer,
  transaction,
  u32,
  VOTE,
} from '../../testing/solana/build-transaction.ts';
import { decodeFiles } from './decode.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'decode-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const [PAYER, RECEIVER, LEADER] = [keyOf('payer'), keyOf('receiver'), keyOf('leader')];

/** A transfer of a SOL each: 2 (u32), then the amount (u64), in base58. */
const block = (count: number): object => ({
  blockhash: 'hash',
  previousBlockhash: 'parent',
  parentSlot: 6,
  blockTime: 1_700_000_000,
  rewards: [{ pubkey: LEADER, lamports: 9, rewardType: 'Fee' }],
  transactions: Array.from({ length: count }, (_, i) => ({
    transaction: {
      signatures: [`signature ${i}`],
      message: {
        accountKeys: [PAYER, RECEIVER, SYSTEM],
        instructions: [{ programIdIndex: 2, accounts: [0, 1], data: '3Bxs3zzLZLuLQEYX' }],
      },
    },
    meta: {
      err: null,
      fee: 5_000,
      preBalances: [10_000_000_000, 0, 1],
      postBalances: [8_999_995_000, 1_000_000_000, 1],
      innerInstructions: [],
    },
  })),
});

const write = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

type Run = { readonly code: number; readonly lines: unknown[]; readonly errors: Record<string, unknown>[] };

const run = async (paths: readonly string[], chain: string | null = null, control = false): Promise<Run> => {
  const out = new PassThrough();
  const err = new PassThrough();
  const collected = Promise.all([text(out), text(err)]);
  const code = await decodeFiles(paths, { chain, control }, { out, err });
  out.end();
  err.end();
  const [lines = [], errors = []] = (await collected).map((stream) =>
    stream
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  );
  return { code, lines, errors };
};

test('every movement is one line of the fixed fields, and the block’s own rows have no transaction', async () => {
  const { code, lines, errors } = await run([write('7.json', block(1))]);
  const shared = {
    chain: 'solana',
    block_number: 7,
    block_time: 1_700_000_000,
    asset: 'native',
    authority: null,
  };
  const first = { ...shared, tx_index: 0, tx_hash: 'signature 0' };
  expect(lines).toEqual([
    { ...first, index: 0, kind: 'fee', from: PAYER, to: null, amount_raw: '5000' },
    { ...first, index: 1, kind: 'transfer', from: PAYER, to: RECEIVER, amount_raw: '1000000000' },
    {
      ...shared,
      tx_index: null,
      tx_hash: null,
      index: 0,
      kind: 'reward',
      from: null,
      to: LEADER,
      amount_raw: '9',
    },
  ]);
  expect(code).toBe(0);
  expect(errors).toMatchObject([
    { name: 'decode', files: 1, failed: 0, movements: 3, problems: {}, exempt: {} },
  ]);
});

test('a file that cannot be read is a line on the error stream; the others are decoded and the exit code is 1', async () => {
  const paths = [write('1.json', 'no json'), join(folder, 'absent.json'), write('7.json', block(1))];
  const { code, lines, errors } = await run(paths);
  expect(code).toBe(1);
  expect(lines.length).toBe(3);
  expect(errors).toMatchObject([
    { error: 'not_json', file: paths[0], tx_index: null },
    { error: 'unreadable_enoent', file: paths[1], tx_index: null },
    { name: 'decode', files: 1, failed: 2 },
  ]);
});

/** A plain transfer of 5 wei. */
const writeEvmBlock = (chain: string, logs: readonly object[] = []): string => {
  const place = join(folder, chain, '17');
  mkdirSync(place, { recursive: true });
  const [hash, blockHash] = [1, 2].map((digit) => `0x${String(digit).repeat(64)}`);
  const [from, to, miner] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`);
  const gas = '0x5208';
  const tx = { hash, from, to, value: '0x5', gas, gasPrice: '0xa', input: '0x', type: '0x0' };
  const receipt = { transactionHash: hash, blockHash, status: '0x1', gasUsed: gas, logs };
  const parts = {
    block: {
      ...{ number: '0x11', hash: blockHash, parentHash: blockHash, timestamp: '0x66000000', miner },
      ...{ baseFeePerGas: '0x7', difficulty: '0x0', uncles: [], transactions: [tx] },
    },
    receipts: [receipt],
    traces: [{ txHash: hash, result: { type: 'CALL', from, to, value: '0x5', gasUsed: gas } }],
  };
  for (const [name, part] of Object.entries(parts))
    writeFileSync(join(place, `${name}.json`), JSON.stringify(part));
  return place;
};

test('a block is printed once, however it and its parts are named', async () => {
  const place = writeEvmBlock('ethereum');
  const parts = ['block', 'receipts', 'traces'].map((part) => join(place, `${part}.json`));
  const once = await run([place]);
  expect(once.lines).toMatchObject([
    { chain: 'ethereum', kind: 'transfer' },
    { kind: 'fee' },
    { kind: 'fee' },
  ]);
  expect((await run([...parts, place, `${place}/`])).lines).toEqual(once.lines);
  const path = write('7.json', block(1));
  expect((await run([path, path])).lines.length).toBe(3);
});

test('control events are lines of their own, only where they are asked for', async () => {
  const word = (digit: string) => `0x${digit.repeat(40).padStart(64, '0')}`;
  const topics = ['0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925', word('a'), word('b')];
  const place = writeEvmBlock('base', [
    { address: `0x${'e'.repeat(40)}`, topics, data: `0x${'f'.repeat(64)}` },
  ]);
  const plain = await run([place]);
  const asked = await run([place], null, true);
  expect(asked.lines).toEqual([
    ...plain.lines,
    {
      ...{ chain: 'base', block_number: 17, block_time: 1_711_276_032, tx_index: 0 },
      ...{ tx_hash: `0x${'1'.repeat(64)}`, control_index: 0, control: 'approval' },
      ...{ subject: `0x${'e'.repeat(40)}`, holder: `0x${'a'.repeat(40)}`, party: `0x${'b'.repeat(40)}` },
      ...{ asset: null, amount_raw: String(2n ** 256n - 1n), detail: null, emitter: null, by_holder: true },
    },
  ]);
  expect(asked.errors.at(-1)).toMatchObject({ control_events: 1 });
  expect(plain.errors.at(-1)).not.toHaveProperty('control_events');
});

test('the folder above names the chain, from wherever the command is run', async () => {
  const place = relative(process.cwd(), writeEvmBlock('ethereum'));
  expect((await run([place])).code).toBe(0);
  const before = process.cwd();
  try {
    process.chdir(join(folder, 'ethereum'));
    expect((await run(['17'])).lines).toMatchObject([{ chain: 'ethereum' }, {}, {}]);
    process.chdir('17');
    expect((await run(['.'])).lines.length).toBe(3);
    expect((await run(['block.json'])).lines.length).toBe(3);
  } finally {
    process.chdir(before);
  }
});

test('where no block is found that is an error, not an empty success', async () => {
  writeFileSync(join(folder, 'notes.txt'), 'no block');
  const { code, errors } = await run([folder]);
  expect(code).toBe(1);
  expect(errors).toMatchObject([
    { error: 'no_blocks', tx_index: null },
    { name: 'decode', ignored: 1 },
  ]);
});

test('a chain without rules of its own is decoded, and one line says so', async () => {
  const places = [writeEvmBlock('downloads'), writeEvmBlock('gnosis'), writeEvmBlock('ethereum')];
  const { code, lines, errors } = await run([
    ...places,
    places[0] ?? '',
    join(folder, 'downloads/17/receipts.json'),
  ]);
  expect({ code, rows: lines.length }).toEqual({ code: 0, rows: 9 });
  expect(errors).toMatchObject([
    { error: 'chain_without_rules', file: places[0], tx_index: null },
    { name: 'decode', files: 3, failed: 0 },
  ]);
});

test('what one transaction hides is told with its index, and counted by reason at the end', async () => {
  const broken = block(3) as { transactions: { meta: object }[] };
  const path = write('7.json', {
    ...broken,
    transactions: broken.transactions.map((sound, at) => (at === 1 ? sound : { ...sound, meta: null })),
  });
  const { code, errors } = await run([path]);
  expect(code).toBe(0);
  expect(errors).toMatchObject([
    { error: 'meta_missing', file: path, tx_index: 0 },
    { error: 'meta_missing', file: path, tx_index: 2 },
    { name: 'decode', problems: { meta_missing: 2 }, exempt: { meta_missing: 2 } },
  ]);
});

test('every vote pays its fee on a line of its own, and what moved nothing has none', async () => {
  const alice = (paid: bigint) => [{ name: 'alice', before: (10n - paid) * FEE, after: (9n - paid) * FEE }];
  const voting = { program: VOTE, accounts: ['bob'], data: u32(12) };
  const vote = transaction({ accounts: alice(0n), instructions: [voting] });
  const nothing = transaction({ accounts: alice(1n), instructions: [systemTransfer('alice', 'bob', 0n)] });
  const { lines, errors } = await run([write('100.json', blockOf(vote, nothing))]);
  expect(lines).toMatchObject([
    { tx_index: 0, kind: 'fee', amount_raw: '5000' },
    { tx_index: 1, kind: 'fee', amount_raw: '5000' },
  ]);
  expect(errors).toMatchObject([{ name: 'decode', movements: 2 }]);
});

test('a reader that goes away ends the output without an error', async () => {
  const path = write('7.json', block(3_000));
  let written = 0;
  const out = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written += chunk.length;
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    },
  });
  const code = await decodeFiles([path], { chain: null }, { out, err: new PassThrough().resume() });
  expect(code).toBe(0);
  expect(written).toBeLessThan(200_000);
});

test('a slow reader is waited for', async () => {
  const path = write('7.json', block(3_000));
  let waiting = 0;
  let most = 0;
  const out = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => {
      waiting++;
      most = Math.max(most, waiting);
      setImmediate(() => {
        waiting--;
        done();
      });
    },
  });
  const lengths: number[] = [];
  out.on('drain', () => lengths.push(out.writableLength));
  await decodeFiles([path], { chain: null }, { out, err: new PassThrough().resume() });
  expect(most).toBe(1);
  expect(lengths.length).toBeGreaterThan(5);
});

import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBlockEncoder } from '../../events/encode-block.ts';
import { keyOf, SYSTEM } from '../../testing/solana/build-transaction.ts';
import { tryDecodeFile } from './decode-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'decode-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const encode = createBlockEncoder(1);
const decode = (path: string) => tryDecodeFile(path, null, encode);

const write = (block: object): string => {
  const path = join(folder, '7.json');
  writeFileSync(path, JSON.stringify(block));
  return path;
};

const EMPTY = {
  ...{ blockhash: 'b', previousBlockhash: 'a', parentSlot: 6, blockTime: 5 },
  transactions: [] as object[],
  rewards: [{ pubkey: SYSTEM, lamports: 0, rewardType: 'Fee' }],
};

const [ALICE, BOB, MINT] = [keyOf('alice'), keyOf('bob'), keyOf('mint')];

const parsedTransfer = (lamports: number, to: string, more: object = {}): object => ({
  transaction: {
    signatures: ['signature'],
    message: {
      accountKeys: [ALICE, to, SYSTEM].map((pubkey) => ({ pubkey })),
      instructions: [
        {
          programId: SYSTEM,
          parsed: { type: 'transfer', info: { source: ALICE, destination: to, lamports } },
        },
      ],
    },
  },
  meta: {
    err: null,
    fee: 5,
    preBalances: [100, 0, 1],
    postBalances: [94, 1, 1],
    innerInstructions: [],
    ...more,
  },
});

const holding = (decimals: number): object => {
  const balance = { accountIndex: 1, mint: MINT, owner: BOB, uiTokenAmount: { amount: '1', decimals } };
  return { preTokenBalances: [balance], postTokenBalances: [balance] };
};

/** 1 SOL from the first account to the second, in compiled form. */
const compiledTransfer = (to: object): object => ({
  transaction: {
    signatures: ['another signature'],
    message: {
      accountKeys: [{ pubkey: ALICE }, to, { pubkey: SYSTEM }],
      instructions: [{ programIdIndex: 2, accounts: [0, 1], data: '3Bxs3zzLZLuLQEYX' }],
    },
  },
  meta: { err: null, fee: 5, preBalances: [1e9 + 5, 0, 1], postBalances: [0, 1e9, 1], innerInstructions: [] },
});

const BROKEN_TRANSACTIONS: Record<string, object> = {
  'lamports below zero': parsedTransfer(-5, BOB),
  'half decimals': parsedTransfer(1, BOB, holding(1.5)),
  'accounts without a key': compiledTransfer({}),
  'digits that base58 has not': compiledTransfer({ pubkey: BOB.replace(/^./, '0') }),
  'a key of 2 MB': parsedTransfer(1, 'B'.repeat(2_000_000)),
};

test.for(Object.entries(BROKEN_TRANSACTIONS))(
  '%s are a problem of their transaction, and its neighbour stands',
  async ([, broken]) => {
    const decoded = await decode(write({ ...EMPTY, transactions: [broken, parsedTransfer(1, BOB)] }));
    if (decoded.status !== 'block') throw new Error(`${decoded.status}: ${decoded.reason}`);
    expect(decoded.block.movements).toBe(2);
    expect(Object.values(decoded.block.problems)).toEqual([1]);
  },
);

const BROKEN_BLOCKS: Record<string, object> = {
  'half a parent slot': { ...EMPTY, parentSlot: 1.5 },
  'a parent slot below zero': { ...EMPTY, parentSlot: -1 },
  'a time before time': { ...EMPTY, blockTime: -1 },
  'a time that the tables cannot hold': { ...EMPTY, blockTime: 2 ** 32 },
  'a hash of 2 MB': { ...EMPTY, blockhash: 'b'.repeat(2_000_000) },
};

test.for(Object.entries(BROKEN_BLOCKS))('%s refuses the block', async ([, broken]) => {
  expect(await decode(write(broken))).toMatchObject({ status: 'refused', code: 'field_malformed' });
});

test.for([
  { name: '7.json', bytes: 600e6 },
  { name: '7.json', bytes: 2 ** 31 + 1 },
  { name: '7.json.gz', bytes: 2 ** 31 + 1 },
])('$name of $bytes bytes is refused without being read', async ({ name, bytes }) => {
  const path = join(folder, name);
  writeFileSync(path, '');
  // Sparse: it takes no place on the disk.
  truncateSync(path, bytes);
  const before = process.memoryUsage().rss;
  expect(await decode(path)).toMatchObject({ status: 'refused', code: 'file_too_large' });
  expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
});

test('what unpacks to more than a block ever is is refused before it fills the memory', async () => {
  const path = join(folder, '7.json.gz');
  writeFileSync(path, gzipSync(Buffer.alloc(140e6)));
  expect(await decode(path)).toMatchObject({ status: 'refused', code: 'file_too_large' });
});

test('what unpacks to more objects than a block ever has is refused before it is parsed, a block as long is not', async () => {
  const path = join(folder, '7.json.gz');
  const withTransactions = (list: string) =>
    JSON.stringify({ ...EMPTY, transactions: 'here' }).replace('"here"', () => list);
  writeFileSync(path, gzipSync(withTransactions(`[${'{},'.repeat(6e6)}{}]`)));
  expect(await decode(path)).toMatchObject({ status: 'refused', code: 'too_many_values' });
  writeFileSync(path, gzipSync(withTransactions(`[]${' '.repeat(18e6)}`)));
  expect(await decode(path)).toMatchObject({ status: 'block' });
});

test('a chain that the service does not speak of is no fault of the file: it may be named rightly the next time', async () => {
  const path = write(EMPTY);
  for (const [chain, reason] of [
    ['downloads', 'chain_not_known'],
    ['ethereum', 'chain_family'],
  ] as const)
    expect(await tryDecodeFile(path, chain, encode)).toMatchObject({
      ...{ status: 'unreadable', reason: expect.stringContaining(reason) },
    });
});

test('a path that no file can have is unreadable, not the end of the thread that reads it', async () => {
  expect(await decode('7\0.json')).toMatchObject({ status: 'unreadable' });
});

test('a mistake of ours costs one file its block, not the run', async () => {
  const mistaken = () => {
    throw new TypeError('cannot read properties of undefined');
  };
  expect(await tryDecodeFile(write(EMPTY), null, mistaken)).toMatchObject({
    ...{ status: 'refused', code: 'internal', reason: 'TypeError: cannot read properties of undefined' },
  });
});

test('a block that makes a record too large for the log is refused', async () => {
  const huge = () => [Buffer.alloc(1_100_000)];
  expect(await tryDecodeFile(write(EMPTY), null, huge)).toMatchObject({
    ...{ status: 'refused', code: 'record_too_large' },
  });
});

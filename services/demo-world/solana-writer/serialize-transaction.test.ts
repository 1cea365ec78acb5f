import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';
import type { JsonTransaction } from './compile-transaction.ts';
import { serializeTransaction } from './serialize-transaction.ts';

type Block<Transaction> = { transactions: Transaction[] };

const readBlock = <Transaction>(encoding: string): Block<Transaction> =>
  JSON.parse(
    gunzipSync(readFileSync(sharedData(`solana/blocks/147078735.${encoding}.json.gz`))).toString('utf8'),
  ) as Block<Transaction>;

describeWithSharedData('a real block in two encodings', () => {
  test('is serialized from json to exactly the bytes that the node gave as base64', () => {
    const json = readBlock<JsonTransaction>('json').transactions;
    const base64 = readBlock<{ transaction: [string, string] }>('base64').transactions;
    expect(json.length).toBe(25);
    for (const [at, transaction] of json.entries()) {
      const bytes = serializeTransaction({ ...transaction, version: 'legacy' });
      expect(Buffer.from(bytes).toString('base64')).toBe(base64[at]?.transaction[0]);
    }
  });
});

test('a version 0 transaction carries its version, its header and its lookups', () => {
  const zero = '1'.repeat(32);
  const bytes = serializeTransaction({
    transaction: {
      signatures: ['1'.repeat(64)],
      message: {
        header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 2, numReadonlyUnsignedAccounts: 3 },
        accountKeys: [zero],
        recentBlockhash: zero,
        instructions: [{ programIdIndex: 4, accounts: [5, 6], data: '1', stackHeight: null }],
        addressTableLookups: [{ accountKey: zero, writableIndexes: [7], readonlyIndexes: [8, 9] }],
      },
    },
    meta: { fee: 0 },
    version: 0,
  });
  expect([...bytes.subarray(65, 69)]).toEqual([0x80, 1, 2, 3]);
  expect([...bytes.subarray(69 + 1 + 32 + 32)]).toEqual([
    1,
    4,
    2,
    5,
    6,
    1,
    0,
    1,
    ...new Array<number>(32).fill(0),
    1,
    7,
    2,
    8,
    9,
  ]);
});

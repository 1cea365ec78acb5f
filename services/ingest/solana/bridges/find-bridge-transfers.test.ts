import { expect, test } from 'vitest';
import { decodeBase58 } from '../../../investigate/model/base58.ts';
import {
  block,
  keyOf,
  type TestInstruction,
  transaction,
} from '../../../testing/solana/build-transaction.ts';
import {
  burnForDeposit,
  MESSENGER,
  MESSENGER_V2,
  mintForReceipt,
} from '../../../testing/solana/cctp-calls.ts';
import { decode, holding, keptRowsOf, payer, rowsOf, SOL } from '../../../testing/solana/tell-rows.ts';
import { cctpContentId } from '../../cctp-message.ts';

const hexOf = (name: string): string => Buffer.from(decodeBase58(keyOf(name)) ?? []).toString('hex');
const BOB = `0x${'b'.repeat(40)}`;
const burning = [payer(SOL, 0n), holding('alice tokens', 'alice', 900n, 200n)];
const receiving = [payer(SOL, 0n), holding('bob tokens', 'bob', 0n, 700n)];
const burn = {
  account: 'alice tokens',
  owner: 'alice',
  mint: 'mint',
  amount: 700n,
  domain: 6,
  recipient: BOB,
};
const receipt = { account: 'bob tokens', mint: 'mint', amount: 700n, domain: 0, sender: BOB };
const told = (accounts: typeof burning, ...instructions: TestInstruction[]) =>
  decode(block(transaction({ accounts, instructions }))).bridgeTransfers;

test('a burn for another chain is a deposit with the number of its message', () => {
  expect(told(burning, burnForDeposit({ ...burn, nonce: 42n }))).toEqual([
    {
      ...{ txIndex: 0, index: 0, bridge: 'cctp', side: 'deposit', messageId: '5:42', farChain: 'base' },
      ...{ from: keyOf('alice'), to: BOB, asset: keyOf('mint'), amountRaw: 700n },
    },
  ]);
});

test('version 2 gives its numbers off the chain: what both sides know stands for it', () => {
  const burnt = { sourceDomain: 5, destinationDomain: 6, recipient: BOB, burntRaw: 700n };
  const [token, sender] = ['mint', 'alice'].map(hexOf) as [string, string];
  expect(told(burning, burnForDeposit({ ...burn, nonce: null }))).toMatchObject([
    {
      ...{ side: 'deposit', messageId: cctpContentId({ ...burnt, token, sender }), farChain: 'base' },
      ...{ from: keyOf('alice'), to: BOB, amountRaw: 700n },
    },
  ]);
  const sent = { sourceDomain: 0, destinationDomain: 5, token: '0x0', sender: BOB, burntRaw: 705n };
  expect(told(receiving, mintForReceipt({ ...receipt, nonce: null, amount: 705n, kept: 5n }))).toMatchObject([
    {
      ...{ side: 'delivery', messageId: cctpContentId({ ...sent, recipient: hexOf('bob tokens') }) },
      ...{ farChain: 'ethereum', from: BOB, to: keyOf('bob'), amountRaw: 700n },
    },
  ]);
});

test('what a message issued is delivered to the owner of the account that it names', () => {
  expect(told(receiving, mintForReceipt({ ...receipt, nonce: 42n }))).toEqual([
    {
      ...{ txIndex: 0, index: 0, bridge: 'cctp', side: 'delivery', messageId: '0:42', farChain: 'ethereum' },
      ...{ from: BOB, to: keyOf('bob'), asset: keyOf('mint'), amountRaw: 700n },
    },
  ]);
});

test.each([
  [42n, MESSENGER],
  [null, MESSENGER_V2],
])(
  'what the program burns is kept as handed to it first, and printed as it was burnt (%s)',
  (nonce, program) => {
    const burnt = { accounts: burning, instructions: [burnForDeposit({ ...burn, nonce })] };
    expect(keptRowsOf(burnt)).toEqual([
      `transfer alice -> ${program} 700 mint`,
      `burn ${program} -> nobody 700 mint`,
    ]);
    expect(rowsOf(burnt)).toEqual(['burn alice -> nobody 700 mint']);
  },
);

test('a message that issued nothing is no crossing', () => {
  const { calls: [, event] = [], ...other } = mintForReceipt({ ...receipt, nonce: 42n });
  if (event === undefined) throw new Error('a receipt is told');
  expect(told(burning, { ...other, calls: [event] })).toEqual([]);
});

test('what a bridge wrote in another form is a problem, and the movements stand', () => {
  const { calls: [issue, event] = [], ...other } = mintForReceipt({ ...receipt, nonce: 42n });
  if (issue === undefined || event === undefined) throw new Error('a receipt issues and is told');
  const cut = { ...other, calls: [issue, { ...event, data: event.data.subarray(0, 60) }] };
  const decoded = decode(block(transaction({ accounts: receiving, instructions: [cut] })));
  expect(decoded.problems.map(({ code }) => code)).toEqual(['bridge_call_malformed']);
  expect(decoded.movements.map(({ kind }) => kind)).toEqual(['fee', 'mint']);
});

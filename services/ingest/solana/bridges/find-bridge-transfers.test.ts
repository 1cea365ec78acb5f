import { expect, test } from 'vitest';
import {
  block,
  keyBytes,
  keyOf,
  type TestInstruction,
  tokenTransfer,
  transaction,
} from '../../../testing/solana/build-transaction.ts';
import {
  burnForDeposit,
  MESSENGER,
  MESSENGER_V2,
  mintForReceipt,
} from '../../../testing/solana/cctp-calls.ts';
import { decode, holding, keptRowsOf, payer, rowsOf, SOL } from '../../../testing/solana/tell-rows.ts';
import { cctpContentId } from '../../bridges/cctp-message.ts';

const hexOf = (name: string): string => Buffer.from(keyBytes(name)).toString('hex');
const BOB = `0x${'b'.repeat(40)}`;
const burning = [payer(SOL, 0n), holding('alice tokens', 'alice', 900n, 200n)];
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const receiving = [payer(SOL, 0n), { ...holding('bob tokens', 'bob', 0n, 700n), mint: USDC }];
const burn = {
  account: 'alice tokens',
  owner: 'alice',
  mint: 'mint',
  amount: 700n,
  domain: 6,
  recipient: BOB,
};
const receipt = { account: 'bob tokens', mint: USDC, amount: 700n, domain: 0, sender: BOB };
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
      ...{ from: BOB, to: keyOf('bob'), asset: USDC, amountRaw: 700n },
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

test('of two messages about as much money, each is delivered to the account that it names', () => {
  const accounts = [...receiving, { ...holding('alice tokens', 'carol', 0n, 700n), mint: USDC }];
  const both = ['bob tokens', 'alice tokens'].map((account, at) =>
    mintForReceipt({ ...receipt, account, nonce: BigInt(at) }),
  );
  expect(told(accounts, ...both).map(({ messageId, to }) => [messageId, to])).toEqual([
    ['0:0', keyOf('bob')],
    ['0:1', keyOf('carol')],
  ]);
});

test.each([42n, null])('a message that Circle’s messenger did not send is no crossing (%s)', (nonce) => {
  const messenger = `0x${'6'.repeat(40)}`;
  expect(told(receiving, mintForReceipt({ ...receipt, nonce, messenger }))).toEqual([]);
});

test('a message about another token than USDC, or paid to another account, is no crossing', () => {
  const other = [payer(SOL, 0n), holding('bob tokens', 'bob', 0n, 700n)];
  expect(told(other, mintForReceipt({ ...receipt, mint: 'mint', nonce: 42n }))).toEqual([]);
  const { calls: [, event] = [], ...call } = mintForReceipt({ ...receipt, nonce: 42n });
  const { calls: [issue] = [] } = mintForReceipt({ ...receipt, account: 'alice tokens', nonce: 42n });
  if (issue === undefined || event === undefined) throw new Error('a receipt issues and is told');
  const carols = [
    payer(SOL, 0n),
    { ...holding('bob tokens', 'bob', 0n, 0n), mint: USDC },
    { ...holding('alice tokens', 'carol', 0n, 700n), mint: USDC },
  ];
  expect(told(carols, { ...call, calls: [issue, event] })).toEqual([]);
});

test.each([42n, null])(
  'of rows as large as a burn the bridge is handed the one that it burnt (%s)',
  (nonce) => {
    const program = nonce === null ? MESSENGER_V2 : MESSENGER;
    const accounts = [
      payer(SOL, 0n),
      holding('alice tokens', 'alice', 2_800n, 0n),
      holding('bob tokens', 'bob', 0n, 1_400n),
    ];
    const pay = tokenTransfer('alice tokens', 'bob tokens', 'alice', 700n);
    const burning = burnForDeposit({ ...burn, nonce });
    const burnt = [`transfer alice -> ${program} 700 mint`, `burn ${program} -> nobody 700 mint`];
    const paid = 'transfer alice -> bob 700 mint';
    expect(keptRowsOf({ accounts, instructions: [pay, burning, pay, burning] })).toEqual([
      ...[paid, ...burnt],
      ...[paid, ...burnt],
    ]);
  },
);

/** Anybody may send a message of any form from a chain that the service does not speak of: nobody here knows who sends there. */
const forged = { ...receipt, domain: 1, nonce: 99n, messenger: `0x${'6'.repeat(40)}` };

test('money issued once is delivered by one message, whatever another beside it names', () => {
  const { calls: [, event] = [], ...other } = mintForReceipt(forged);
  if (event === undefined) throw new Error('a receipt is told');
  const beside = { ...other, calls: [event] };
  const real = mintForReceipt({ ...receipt, nonce: 42n });
  for (const instructions of [
    [beside, real],
    [real, beside],
  ])
    expect(told(receiving, ...instructions)).toMatchObject([{ messageId: '0:42' }]);
});

test('a message whose receiver redeems another one did not deliver what that one issued', () => {
  const { calls: [, event] = [], ...other } = mintForReceipt(forged);
  const { calls: own = [], ...real } = mintForReceipt({ ...receipt, nonce: null });
  if (event === undefined) throw new Error('a receipt is told');
  expect(told(receiving, { ...other, calls: [real, ...own, event] })).toMatchObject([
    { farChain: 'ethereum', to: keyOf('bob') },
  ]);
});

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

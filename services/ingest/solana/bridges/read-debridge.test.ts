import { expect, test } from 'vitest';
import { blockParts } from '../../../testing/block-parts.ts';
import {
  block,
  keyBytes,
  keyOf,
  type TestTransaction,
  tokenTransfer,
  transaction,
} from '../../../testing/solana/build-transaction.ts';
import { fulfil, orderLines } from '../../../testing/solana/debridge-calls.ts';
import { linesOf } from '../../../testing/solana/lines-of.ts';
import { crossingsOf, decode, holding, keptRowsOf, payer, SOL } from '../../../testing/solana/tell-rows.ts';
import { DLN_SOURCE } from './read-debridge.ts';

const BOB = `0x${'b'.repeat(40)}`;
const ORDER_ID = `0x${'17'.repeat(32)}`;

const [bob, alice, mint] = [Buffer.from(BOB.slice(2), 'hex'), keyBytes('alice'), keyBytes('mint')];
const dollars = { chain: 1n, token: bob, amount: 690n };
const tokens = { chain: 7565164n, token: mint, amount: 700n };
const orderFor = (receiver: string) => ({
  maker: bob,
  give: dollars,
  take: tokens,
  receiver: keyBytes(receiver),
});
const pay = (account: string) => tokenTransfer('alice tokens', account, 'alice', 700n);

test('an order fulfilled is a delivery with its id, to whoever was paid', () => {
  const accounts = [
    ...[payer(SOL, 0n), holding('alice tokens', 'alice', 900n, 200n), holding('bob tokens', 'bob', 0n, 700n)],
  ];
  const instructions = [fulfil(ORDER_ID, orderFor('bob'), pay('bob tokens'))];
  expect(crossingsOf({ accounts, instructions })).toEqual([
    {
      ...{ txIndex: 0, index: 0, bridge: 'debridge', side: 'delivery', messageId: ORDER_ID },
      ...{ farChain: 'ethereum', from: BOB, to: keyOf('bob'), asset: keyOf('mint'), amountRaw: 700n },
    },
  ]);
});

const paidTwice = [
  ...[payer(SOL, 0n), holding('alice tokens', 'alice', 1_600n, 200n)],
  ...[holding('bob tokens', 'bob', 0n, 700n), holding('carol tokens', 'carol', 0n, 700n)],
];

test('what is paid before or behind a fulfilment does not say who was paid by it, as much as it may be', () => {
  const order = fulfil(ORDER_ID, orderFor('bob'), pay('bob tokens'));
  for (const instructions of [
    [order, pay('carol tokens')],
    [pay('carol tokens'), order],
  ])
    expect(crossingsOf({ accounts: paidTwice, instructions })).toMatchObject([{ to: keyOf('bob') }]);
});

test('a program that fulfils an order and pays somebody in one instruction does not say who was paid by it', () => {
  const order = fulfil(ORDER_ID, orderFor('bob'), pay('bob tokens'));
  const router = (calls: readonly (typeof order)[]) => ({
    ...{ program: 'router', accounts: [], data: Uint8Array.of(1), calls },
  });
  const called = [{ ...order, calls: [] }, pay('bob tokens'), pay('carol tokens')];
  const raw = transaction({ accounts: paidTwice, instructions: [router(called)] });
  expect(decode(block(raw)).bridgeTransfers).toMatchObject([{ to: keyOf('bob') }]);
});

test('of two orders of as much fulfilled in one transaction each is delivered to its receiver', () => {
  const instructions = ['bob', 'carol'].map((name) =>
    fulfil(ORDER_ID, orderFor(name), pay(`${name} tokens`)),
  );
  expect(crossingsOf({ accounts: paidTwice, instructions }).map(({ to }) => to)).toEqual([
    keyOf('bob'),
    keyOf('carol'),
  ]);
});

test('a fulfilment without any movement, not even a fee, is kept with its transaction', () => {
  const alone = {
    accounts: [{ name: 'alice', before: SOL, after: SOL }],
    instructions: [fulfil(ORDER_ID, orderFor('bob'))],
    fee: 0n,
  };
  const decoded = decode(block(transaction(alone)));
  expect(decoded).toMatchObject({ movements: [], problems: [], bridgeTransfers: [{ messageId: ORDER_ID }] });
  const [{ hash } = { hash: '' }] = decoded.transactions;
  expect(blockParts(decoded)).toMatchObject([{ tx_hash: [hash], tx_movements: [0], b_hash: [hash] }]);
});

const made = (program: string): TestTransaction => {
  const give = { chain: 7565164n, token: mint, amount: 699n };
  return {
    accounts: [
      ...[payer(SOL, 0n), holding('alice tokens', 'alice', 900n, 200n), holding('vault', 'pool', 0n, 700n)],
    ],
    instructions: [
      {
        ...{ program: DLN_SOURCE, accounts: [], data: Uint8Array.of(1) },
        calls: [tokenTransfer('alice tokens', 'vault', 'alice', 700n)],
      },
    ],
    logs: linesOf([program], ...orderLines(ORDER_ID, { maker: alice, give, take: dollars, receiver: bob })),
  };
};

const taken = [`transfer alice -> ${DLN_SOURCE} 700 mint`, `transfer ${DLN_SOURCE} -> pool 700 mint`];

test('an order made is a deposit with its id, handed to the program whatever account keeps it', () => {
  expect(crossingsOf(made(DLN_SOURCE))).toEqual([
    {
      ...{ txIndex: 0, index: 0, bridge: 'debridge', side: 'deposit', messageId: ORDER_ID },
      ...{ farChain: 'ethereum', from: keyOf('alice'), to: BOB, asset: keyOf('mint'), amountRaw: 699n },
    },
  ]);
  expect(keptRowsOf(made(DLN_SOURCE))).toEqual(taken);
});

test.each([699n, 700n])('a payment of %s before or behind an order is not what the bridge took', (amount) => {
  const { accounts, instructions, logs = [] } = made(DLN_SOURCE);
  const others = [
    ...[payer(SOL, 0n), holding('alice tokens', 'alice', 900n + amount, 200n)],
    ...[...accounts.slice(2), holding('carol tokens', 'carol', 0n, amount)],
  ];
  const paid = tokenTransfer('alice tokens', 'carol tokens', 'alice', amount);
  const row = `transfer alice -> carol ${amount} mint`;
  const before = { accounts: others, instructions: [paid, ...instructions], logs };
  expect(keptRowsOf(before)).toEqual([row, ...taken]);
  const behind = { accounts: others, instructions: [...instructions, paid], logs };
  expect(keptRowsOf(behind)).toEqual([...taken, row]);
});

test('where a node tells how deep calls are, a payment by the program that makes an order is none of it', () => {
  const { instructions, logs = [] } = made(DLN_SOURCE);
  const accounts = [
    ...[payer(SOL, 0n), holding('alice tokens', 'alice', 1_599n, 200n), holding('vault', 'pool', 0n, 700n)],
    holding('carol tokens', 'carol', 0n, 699n),
  ];
  const pays = tokenTransfer('alice tokens', 'carol tokens', 'alice', 699n);
  const calls = [...instructions.flatMap(({ calls = [], ...call }) => [call, ...calls]), pays];
  const raw = transaction({
    ...{ accounts, logs: [...linesOf(['router']), ...logs] },
    instructions: [{ program: 'router', accounts: [], data: Uint8Array.of(1), calls }],
  });
  const deep = raw.meta?.innerInstructions?.map((group) => ({
    ...group,
    instructions: group.instructions.map((one, at) => ({ ...one, stackHeight: [2, 3, 2][at] ?? 2 })),
  }));
  const meta = raw.meta && { ...raw.meta, innerInstructions: deep ?? null };
  const { movements } = decode(block({ ...raw, meta }), 'sum');
  expect(movements.filter(({ to }) => to === DLN_SOURCE)).toMatchObject([{ amountRaw: 700n }]);
});

test('where the log is cut, no row is said to be what an order took', () => {
  const { logs = [], ...order } = made(DLN_SOURCE);
  const cut = { ...order, logs: [...logs, ...linesOf([DLN_SOURCE])] };
  expect(crossingsOf(cut)).toMatchObject([{ messageId: ORDER_ID }]);
  expect(keptRowsOf(cut)).toEqual(['transfer alice -> pool 700 mint']);
});

test('the same events from another program are nothing', () => {
  expect(crossingsOf(made('Memo'))).toEqual([]);
});

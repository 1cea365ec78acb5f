import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { decodeBase58 } from '../../../investigate/model/base58.ts';
import { blockParts } from '../../../testing/block-parts.ts';
import {
  block,
  join,
  keyOf,
  type TestTransaction,
  TOKEN,
  tokenTransfer,
  transaction,
  u32,
  u64,
} from '../../../testing/solana/build-transaction.ts';
import { decode, holding, keptRowsOf, payer, SOL } from '../../../testing/solana/tell-rows.ts';
import { SOLANA_TOKEN_BRIDGE as TOKEN_BRIDGE } from '../../wormhole-claim.ts';
import { DLN_DESTINATION, DLN_SOURCE } from './read-debridge.ts';

const CORE = 'worm2ZoG2kUd4vFXhvjh93UUH596ayRfgQ2MgjNMTth';
const EMITTER = '0xec7372995d5cc8732397fb0ad35c0121e0eaa90d26f828a534cab54391b3a4f5';
const BOB = `0x${'b'.repeat(40)}`;
const ORDER_ID = `0x${'17'.repeat(32)}`;
const wordOf = (hex: string): Uint8Array => Buffer.from(hex.replace(/^0x/, '').padStart(64, '0'), 'hex');
const bytesOf = (name: string): Uint8Array => decodeBase58(keyOf(name)) ?? new Uint8Array(32);
const u16 = (value: number): Uint8Array => u32(value).subarray(0, 2);

const told = (transfer: TestTransaction) => decode(block(transaction(transfer))).bridgeTransfers;
/** What a program writes that is called by another, or by nobody. */
const said = (programs: readonly string[], ...lines: string[]): string[] => [
  ...programs.map((program, at) => `Program ${program} invoke [${at + 1}]`),
  ...lines,
  ...programs.toReversed().map((program) => `Program ${program} success`),
];

const deposit = (tag: number, taking: 'transfer' | 'burn') => ({
  program: TOKEN_BRIDGE,
  accounts: ['alice', 'config', 'alice tokens'],
  data: join([tag], u32(0), u64(700n), ...(tag < 6 ? [u64(0n)] : []), wordOf(BOB), u16(2)),
  calls: [
    taking === 'transfer'
      ? tokenTransfer('alice tokens', 'vault', 'alice', 700n)
      : { program: TOKEN, accounts: ['alice tokens', 'mint', 'alice'], data: join([8], u64(700n)) },
  ],
});
const wormhole = (taking: 'transfer' | 'burn', logs: readonly string[], tag = 5): TestTransaction => ({
  accounts: [
    payer(SOL, 0n),
    holding('alice tokens', 'alice', 900n, 200n),
    ...(taking === 'transfer' ? [holding('vault', 'pool', 0n, 700n)] : []),
  ],
  instructions: [deposit(tag, taking)],
  logs,
});
const SEQUENCE = said([TOKEN_BRIDGE, CORE], 'Program log: Sequence: 149587');

test.each([
  ['transfer', 5],
  ['transfer', 12],
  ['burn', 4],
  ['burn', 11],
] as const)(
  'Wormhole: what the token bridge takes by %s (instruction %i) is a deposit with its number',
  (taking, tag) => {
    expect(told(wormhole(taking, SEQUENCE, tag))).toEqual([
      {
        ...{ txIndex: 0, index: 0, bridge: 'wormhole', side: 'deposit', farChain: 'ethereum' },
        ...{ messageId: `1/${EMITTER}/149587`, from: keyOf('alice'), to: BOB },
        ...{ asset: keyOf('mint'), amountRaw: 700n },
      },
    ]);
  },
);

test.each([
  ['transfer', `transfer ${TOKEN_BRIDGE} -> pool 700 mint`],
  ['burn', `burn ${TOKEN_BRIDGE} -> nobody 700 mint`],
] as const)(
  'Wormhole: money leaves for the token bridge, which keeps it or burns it (%s)',
  (taking, second) => {
    expect(keptRowsOf(wormhole(taking, SEQUENCE))).toEqual([
      `transfer alice -> ${TOKEN_BRIDGE} 700 mint`,
      second,
    ]);
  },
);

test('Wormhole: of rows as large as what it took the token bridge is handed its own', () => {
  const { accounts, instructions, logs } = wormhole('burn', SEQUENCE);
  const pay = tokenTransfer('alice tokens', 'carol tokens', 'alice', 700n);
  const [payee, alices] = [
    holding('carol tokens', 'carol', 0n, 1_400n),
    holding('alice tokens', 'alice', 2_300n, 200n),
  ];
  const rows = keptRowsOf({
    accounts: [...accounts.map((one) => (one.name === 'alice tokens' ? alices : one)), payee],
    instructions: [pay, ...instructions, pay],
    logs: logs ?? [],
  });
  expect(rows).toEqual([
    'transfer alice -> carol 700 mint',
    `transfer alice -> ${TOKEN_BRIDGE} 700 mint`,
    `burn ${TOKEN_BRIDGE} -> nobody 700 mint`,
    'transfer alice -> carol 700 mint',
  ]);
});

test.each([
  ['is cut', ['Log truncated']],
  ['has the number from somebody else', said([TOKEN_BRIDGE, 'Memo'], 'Program log: Sequence: 149587')],
  ['has it of another emitter', said(['Memo', CORE], 'Program log: Sequence: 149587')],
  ['has more of them than deposits', [...SEQUENCE, ...SEQUENCE]],
])('Wormhole: where the log %s, a deposit has no number', (_, logs) => {
  expect(told(wormhole('transfer', logs))).toMatchObject([{ side: 'deposit', messageId: null, to: BOB }]);
});

const CUSTODY = 'GugU1tP7doLeTw9hQP51xRJyS8Da1fWxuiy2rVrnMD2m';
const redemption = (claim: string, tag: number, amount: bigint) => ({
  program: TOKEN_BRIDGE,
  accounts: ['alice', 'config', 'vaa', claim, 'endpoint', 'bob tokens'],
  data: Uint8Array.of(tag),
  calls: [
    tag === 2
      ? tokenTransfer('custody', 'bob tokens', CUSTODY, amount)
      : { program: TOKEN, accounts: ['mint', 'bob tokens', 'issuer'], data: join([7], u64(amount)) },
  ],
});
const redeeming = (tag: number, ...claims: readonly string[]): TestTransaction => {
  const amount = 700n / BigInt(claims.length);
  return {
    accounts: [
      ...[payer(SOL, 0n), holding('bob tokens', 'bob', 0n, amount * BigInt(claims.length))],
      ...(tag === 2 ? [holding('custody', CUSTODY, 900n, 200n)] : []),
    ],
    instructions: claims.map((claim) => redemption(claim, tag, amount)),
  };
};

test.each([2, 3])(
  'Wormhole: what a redemption pays (instruction %i) is a delivery that names the account of its number',
  (tag) => {
    expect(told(redeeming(tag, 'used'))).toEqual([
      {
        ...{
          txIndex: 0,
          index: 0,
          bridge: 'wormhole',
          side: 'delivery',
          messageId: `claim/${keyOf('used')}`,
        },
        ...{ farChain: null, from: null, to: keyOf('bob'), asset: keyOf('mint'), amountRaw: 700n },
      },
    ]);
  },
);

test('Wormhole: of several redemptions in one transaction each has the account that it fills, and its amount', () => {
  expect(told(redeeming(2, 'used', 'spent'))).toMatchObject([
    { messageId: `claim/${keyOf('used')}`, to: keyOf('bob'), amountRaw: 350n },
    { messageId: `claim/${keyOf('spent')}`, to: keyOf('bob'), amountRaw: 350n },
  ]);
});

test('Wormhole: what is issued or moved beside never says who was paid, who paid, or in what', () => {
  const { accounts, instructions } = redeeming(3, 'used');
  const fake = { name: 'fake tokens', mint: 'fake mint', owner: 'carol', before: 1n, after: 1n };
  const issue = {
    program: TOKEN,
    accounts: ['fake mint', 'fake tokens', 'carol'],
    data: join([7], u64(700n)),
  };
  const paid = { ...fake, amountBefore: 0n, amountAfter: 700n };
  expect(told({ accounts: [...accounts, paid], instructions: [...instructions, issue] })).toMatchObject([
    { to: keyOf('bob'), asset: keyOf('mint'), amountRaw: 700n },
  ]);
  const taken = wormhole('transfer', SEQUENCE);
  const burn = {
    program: TOKEN,
    accounts: ['fake tokens', 'fake mint', 'carol'],
    data: join([8], u64(700n)),
  };
  const burnt = { ...fake, amountBefore: 700n, amountAfter: 0n };
  const beside = { accounts: [...taken.accounts, burnt], instructions: [...taken.instructions, burn] };
  expect(told({ ...taken, ...beside })).toMatchObject([
    { from: keyOf('alice'), asset: keyOf('mint'), amountRaw: 700n },
  ]);
});

type Side = { readonly chain: bigint; readonly token: Uint8Array; readonly amount: bigint };
const bytes = (value: Uint8Array): Uint8Array => join(u32(value.length), value);
const u256 = (value: bigint): Uint8Array => wordOf(value.toString(16));
const offer = ({ chain, token, amount }: Side) => join(u256(chain), bytes(token), u256(amount));
const order = (maker: Uint8Array, give: Side, take: Side, receiver: Uint8Array) =>
  join(
    ...[u64(5n), bytes(maker), offer(give), offer(take), bytes(receiver)],
    ...[bytes(maker), bytes(receiver), [0], [1], bytes(maker), [0]],
  );
const [bob, alice, mint] = [Buffer.from(BOB.slice(2), 'hex'), bytesOf('alice'), bytesOf('mint')];
const dollars = { chain: 1n, token: bob, amount: 690n };

test('deBridge: an order fulfilled is a delivery with its id, to whoever was paid', () => {
  const give = { ...dollars, amount: 705n };
  const take = { chain: 7565164n, token: mint, amount: 700n };
  const data = join(
    ...[Buffer.from('3dd627f841d49924', 'hex'), order(bob, give, take, bytesOf('bob'))],
    ...[wordOf(ORDER_ID), new Uint8Array(32)],
  );
  const calls = [tokenTransfer('alice tokens', 'bob tokens', 'alice', 700n)];
  const accounts = [
    ...[payer(SOL, 0n), holding('alice tokens', 'alice', 900n, 200n), holding('bob tokens', 'bob', 0n, 700n)],
  ];
  const instructions = [{ program: DLN_DESTINATION, accounts: [], data, calls }];
  expect(told({ accounts, instructions })).toEqual([
    {
      ...{ txIndex: 0, index: 0, bridge: 'debridge', side: 'delivery', messageId: ORDER_ID },
      ...{ farChain: 'ethereum', from: BOB, to: keyOf('bob'), asset: keyOf('mint'), amountRaw: 700n },
    },
  ]);
});

test('deBridge: a fulfilment without any movement, not even a fee, is kept with its transaction', () => {
  const take = { chain: 7565164n, token: mint, amount: 700n };
  const data = join(
    ...[Buffer.from('3dd627f841d49924', 'hex'), order(bob, dollars, take, bytesOf('bob'))],
    ...[wordOf(ORDER_ID), new Uint8Array(32)],
  );
  const alone = {
    accounts: [{ name: 'alice', before: SOL, after: SOL }],
    instructions: [{ program: DLN_DESTINATION, accounts: [], data }],
    fee: 0n,
  };
  const decoded = decode(block(transaction(alone)));
  expect(decoded).toMatchObject({ movements: [], problems: [], bridgeTransfers: [{ messageId: ORDER_ID }] });
  const [{ hash } = { hash: '' }] = decoded.transactions;
  expect(blockParts(decoded)).toMatchObject([{ tx_hash: [hash], tx_movements: [0], b_hash: [hash] }]);
});

const event = (name: string, fields: Uint8Array): string => {
  const mark = createHash('sha256').update(`event:${name}`).digest().subarray(0, 8);
  return `Program data: ${Buffer.from(join(mark, fields)).toString('base64')}`;
};
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
    logs: said(
      [program],
      event('CreatedOrder', join(order(alice, give, dollars, bob), u64(1n), u64(1n))),
      event('CreatedOrderId', wordOf(ORDER_ID)),
    ),
  };
};

test('deBridge: an order made is a deposit with its id, handed to the program whatever account keeps it', () => {
  expect(told(made(DLN_SOURCE))).toEqual([
    {
      ...{ txIndex: 0, index: 0, bridge: 'debridge', side: 'deposit', messageId: ORDER_ID },
      ...{ farChain: 'ethereum', from: keyOf('alice'), to: BOB, asset: keyOf('mint'), amountRaw: 699n },
    },
  ]);
  expect(keptRowsOf(made(DLN_SOURCE))).toEqual([
    `transfer alice -> ${DLN_SOURCE} 700 mint`,
    `transfer ${DLN_SOURCE} -> pool 700 mint`,
  ]);
});

test('deBridge: the same events from another program are nothing', () => {
  expect(told(made('Memo'))).toEqual([]);
});

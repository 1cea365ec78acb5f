import { expect, test } from 'vitest';
import {
  join,
  keyOf,
  type TestTransaction,
  TOKEN,
  tokenTransfer,
  u32,
  u64,
} from '../../../testing/solana/build-transaction.ts';
import { linesOf } from '../../../testing/solana/lines-of.ts';
import { crossingsOf, holding, keptRowsOf, payer, SOL, wrapped } from '../../../testing/solana/tell-rows.ts';
import { CUSTODY, depositInto, redeemFrom } from '../../../testing/solana/wormhole-calls.ts';
import { SOLANA_TOKEN_BRIDGE as TOKEN_BRIDGE } from '../../bridges/wormhole-claim.ts';

const CORE = 'worm2ZoG2kUd4vFXhvjh93UUH596ayRfgQ2MgjNMTth';
const EMITTER = '0xec7372995d5cc8732397fb0ad35c0121e0eaa90d26f828a534cab54391b3a4f5';
const BOB = `0x${'b'.repeat(40)}`;

const TAKING = {
  transfer: tokenTransfer('alice tokens', 'vault', 'alice', 700n),
  burn: { program: TOKEN, accounts: ['alice tokens', 'mint', 'alice'], data: join([8], u64(700n)) },
};
const wormhole = (taking: keyof typeof TAKING, logs: readonly string[], tag = 5): TestTransaction => ({
  accounts: [
    payer(SOL, 0n),
    holding('alice tokens', 'alice', 900n, 200n),
    ...(taking === 'transfer' ? [holding('vault', 'pool', 0n, 700n)] : []),
  ],
  instructions: [depositInto({ tag, amount: 700n, recipient: BOB }, TAKING[taking])],
  logs,
});
const SEQUENCE = linesOf([TOKEN_BRIDGE, CORE], 'Program log: Sequence: 149587');

test.each([
  ['transfer', 5],
  ['transfer', 12],
  ['burn', 4],
  ['burn', 11],
] as const)(
  'what the token bridge takes by %s (instruction %i) is a deposit with its number',
  (taking, tag) => {
    expect(crossingsOf(wormhole(taking, SEQUENCE, tag))).toEqual([
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
] as const)('money leaves for the token bridge, which keeps it or burns it (%s)', (taking, second) => {
  expect(keptRowsOf(wormhole(taking, SEQUENCE))).toEqual([
    `transfer alice -> ${TOKEN_BRIDGE} 700 mint`,
    second,
  ]);
});

test('of rows as large as what it took the token bridge is handed its own', () => {
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
  ['has the number from somebody else', linesOf([TOKEN_BRIDGE, 'Memo'], 'Program log: Sequence: 149587')],
  ['has it of another emitter', linesOf(['Memo', CORE], 'Program log: Sequence: 149587')],
  ['has more of them than deposits', [...SEQUENCE, ...SEQUENCE]],
])('Wormhole: where the log %s, a deposit has no number', (_, logs) => {
  expect(crossingsOf(wormhole('transfer', logs))).toMatchObject([
    { side: 'deposit', messageId: null, to: BOB },
  ]);
});

test('a token attested beside takes no deposit’s number away, before or behind it', () => {
  const taken = wormhole('transfer', SEQUENCE);
  const attest = { program: TOKEN_BRIDGE, accounts: ['alice', 'config', 'mint'], data: join([1], u32(0)) };
  const attested = linesOf([TOKEN_BRIDGE, CORE], 'Program log: Sequence: 5');
  const before = { instructions: [attest, ...taken.instructions], logs: [...attested, ...SEQUENCE] };
  const behind = { instructions: [...taken.instructions, attest], logs: [...SEQUENCE, ...attested] };
  for (const beside of [before, behind])
    expect(crossingsOf({ ...taken, ...beside })).toMatchObject([{ messageId: `1/${EMITTER}/149587` }]);
});

test('of several deposits each has the number of its own message', () => {
  const { accounts, instructions } = wormhole('burn', []);
  const alices = holding('alice tokens', 'alice', 1_600n, 200n);
  const both = {
    accounts: accounts.map((one) => (one.name === 'alice tokens' ? alices : one)),
    instructions: [...instructions, ...instructions],
    logs: ['7', '8'].flatMap((number) => linesOf([TOKEN_BRIDGE, CORE], `Program log: Sequence: ${number}`)),
  };
  expect(crossingsOf(both).map(({ messageId }) => messageId)).toEqual([`1/${EMITTER}/7`, `1/${EMITTER}/8`]);
  expect(keptRowsOf(both).filter((row) => row.startsWith('burn'))).toEqual([
    `burn ${TOKEN_BRIDGE} -> nobody 700 mint`,
    `burn ${TOKEN_BRIDGE} -> nobody 700 mint`,
  ]);
});

test('of a token of nine decimals the bridge is handed what it took, and nobody’s larger payment', () => {
  const [whole, cut] = [1_234_567_891n, 1_234_567_890n];
  const nine: TestTransaction = {
    accounts: [
      ...[payer(SOL, 0n), wrapped('alice tokens', 'alice', 5n * SOL, 3n * SOL - cut)],
      ...[wrapped('vault', 'pool', 0n, cut), wrapped('carol tokens', 'carol', 0n, 2n * SOL)],
    ],
    instructions: [
      depositInto({ amount: whole, recipient: BOB }, tokenTransfer('alice tokens', 'vault', 'alice', cut)),
      tokenTransfer('alice tokens', 'carol tokens', 'alice', 2n * SOL),
    ],
  };
  expect(keptRowsOf(nine)).toEqual([
    `transfer alice -> ${TOKEN_BRIDGE} ${cut} native`,
    `transfer ${TOKEN_BRIDGE} -> pool ${cut} native`,
    `transfer alice -> carol ${2n * SOL} native`,
  ]);
  expect(crossingsOf(nine)).toMatchObject([{ asset: 'native', amountRaw: cut }]);
});

/** Pays out, and then the fee of who redeems: here the same one, without any. */
const redemption = (claim: string, tag: number, amount: bigint) => {
  const calls = [amount, 0n].map((paid) =>
    tag === 2
      ? tokenTransfer('custody', 'bob tokens', CUSTODY, paid)
      : { program: TOKEN, accounts: ['mint', 'bob tokens', 'issuer'], data: join([7], u64(paid)) },
  );
  return redeemFrom(tag, claim, ...calls);
};
const redeeming = (tag: number, paid: Readonly<Record<string, bigint>>): TestTransaction => ({
  accounts: [
    ...[payer(SOL, 0n), holding('bob tokens', 'bob', 0n, 700n)],
    ...(tag === 2 ? [holding('custody', CUSTODY, 900n, 200n)] : []),
  ],
  instructions: Object.entries(paid).map(([claim, amount]) => redemption(claim, tag, amount)),
});

test.each([2, 3])(
  'what a redemption pays (instruction %i) is a delivery that names the account of its number',
  (tag) => {
    expect(crossingsOf(redeeming(tag, { used: 700n }))).toEqual([
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

test('of several redemptions in one transaction each has the account that it fills, and its amount', () => {
  for (const tag of [2, 3])
    expect(crossingsOf(redeeming(tag, { used: 300n, spent: 400n }))).toMatchObject([
      { messageId: `claim/${keyOf('used')}`, to: keyOf('bob'), amountRaw: 300n },
      { messageId: `claim/${keyOf('spent')}`, to: keyOf('bob'), amountRaw: 400n },
    ]);
});

test('what is issued or moved beside never says who was paid, who paid, or in what', () => {
  const { accounts, instructions } = redeeming(3, { used: 700n });
  const fake = { name: 'fake tokens', mint: 'fake mint', owner: 'carol', before: 1n, after: 1n };
  const issue = {
    program: TOKEN,
    accounts: ['fake mint', 'fake tokens', 'carol'],
    data: join([7], u64(700n)),
  };
  const paid = { ...fake, amountBefore: 0n, amountAfter: 700n };
  expect(
    crossingsOf({ accounts: [...accounts, paid], instructions: [...instructions, issue] }),
  ).toMatchObject([{ to: keyOf('bob'), asset: keyOf('mint'), amountRaw: 700n }]);
  const taken = wormhole('transfer', SEQUENCE);
  const burn = {
    program: TOKEN,
    accounts: ['fake tokens', 'fake mint', 'carol'],
    data: join([8], u64(700n)),
  };
  const burnt = { ...fake, amountBefore: 700n, amountAfter: 0n };
  const beside = { accounts: [...taken.accounts, burnt], instructions: [...taken.instructions, burn] };
  expect(crossingsOf({ ...taken, ...beside })).toMatchObject([
    { from: keyOf('alice'), asset: keyOf('mint'), amountRaw: 700n },
  ]);
});

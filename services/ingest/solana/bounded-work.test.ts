import { expect, test } from 'vitest';
import type { Movement } from '../../investigate/model/movement.ts';
import { block, FEE, keyOf, systemTransfer, transaction } from '../../testing/solana/build-transaction.ts';
import { burnForDeposit } from '../../testing/solana/cctp-calls.ts';
import { decode, payer, SOL } from '../../testing/solana/tell-rows.ts';
import { SOLANA_TOKEN_BRIDGE } from '../bridges/wormhole-claim.ts';
import type { BridgeCall } from './bridges/bridge-call.ts';
import { findBridgeTransfers } from './bridges/find-bridge-transfers.ts';
import { readProgramLogs } from './bridges/read-program-logs.ts';
import { decodeBase58Into, encodeBase58 } from './encoding/base58.ts';
import { addTurn, newTokenAccount, wasOpen } from './ledger/token-account.ts';

/** What a node may answer is of any size; what is more than a chain allows is refused before work is done on it. */

const problemOf = (raw: unknown): string | undefined =>
  decode({ ...block(), transactions: [raw] }).problems[0]?.code;
const sound = transaction({ accounts: [payer(SOL, 0n)], instructions: [] });

test('text longer than its bytes can be is refused before a digit of it is read', () => {
  const endsWrong = `${'z'.repeat(99)}0`;
  expect(() => decodeBase58Into(endsWrong, new Uint8Array(32))).toThrow('digits');
  expect(() => decodeBase58Into(endsWrong, new Uint8Array(128))).toThrow('not base58');
  for (const fill of [0, 255]) {
    const longest = encodeBase58(new Uint8Array(32).fill(fill), 0, 32);
    expect(decodeBase58Into(longest, new Uint8Array(32))).toBe(32);
  }
});

test('a transaction longer than any can be is refused, in whichever encoding', () => {
  expect(problemOf({ ...sound, transaction: 'z'.repeat(20_000) })).toBe('bad_base58');
  expect(problemOf({ ...sound, transaction: ['A'.repeat(20_000), 'base64'] })).toBe('bad_base64');
});

test('a transaction of more accounts than a byte can number is refused', () => {
  const accounts = (count: number) => [
    payer(SOL, 0n),
    ...Array.from({ length: count - 1 }, (_, at) => ({ name: `account ${at}`, before: FEE, after: FEE })),
  ];
  expect(problemOf(transaction({ accounts: accounts(256), instructions: [] }))).toBe(undefined);
  expect(problemOf(transaction({ accounts: accounts(257), instructions: [] }))).toBe('broken_transaction');
});

test('a block that lists more transactions than any has room for is refused before one is read', () => {
  const transactions = Array.from({ length: 100_001 }, () => 0);
  expect(() => decode({ ...block(), transactions })).toThrow(
    expect.objectContaining({ code: 'too_many_transactions' }),
  );
});

test('calls are found by who made them, each group of them looked at once', () => {
  let looks = 0;
  const count = 50;
  const moved = BigInt(count + (count * (count - 1)) / 2);
  const instructions = Array.from({ length: count }, () => systemTransfer('alice', 'bob', 1n));
  const accounts = [payer(SOL, moved), { name: 'bob', before: 1n, after: 1n + moved }];
  const raw = transaction({
    accounts,
    // No two call the same: what all of them call is listed once too often.
    instructions: instructions.map((one, i) => ({
      ...one,
      calls: [systemTransfer('alice', 'bob', BigInt(i))],
    })),
  });
  const innerInstructions = (raw.meta?.innerInstructions ?? []).map(({ index, instructions: calls }) => ({
    get index() {
      looks++;
      return index;
    },
    instructions: calls,
  }));
  const decoded = decode({
    ...block(),
    transactions: [{ ...raw, meta: { ...raw.meta, innerInstructions } }],
  });
  expect(decoded.problems).toEqual([]);
  expect(decoded.movements).toHaveLength(1 + 2 * count);
  expect(looks).toBe(count);
});

/** Movements that count how often anybody looks at one. */
const watched = (count: number) => {
  const watch = { looks: 0, movements: [] as Movement[] };
  const row = { txIndex: 0, from: null, to: keyOf('bob'), asset: 'mint', amountRaw: 1n, authority: null };
  for (let index = 0; index < count; index++)
    watch.movements.push({
      ...{ ...row, index },
      get kind() {
        watch.looks++;
        return 'burn' as const;
      },
    });
  return watch;
};

/** As many calls as movements, each with one of its own. */
const callsOf = (count: number, each: Pick<BridgeCall, 'program' | 'accounts' | 'data'>) =>
  Array.from({ length: count }, (_, at): BridgeCall => {
    const holdings = new Map([['bob tokens', { owner: keyOf('bob'), asset: 'mint' }]]);
    return { ...each, holdings, depth: 1, row: at, rowEnd: at + 1, place: at, placeEnd: at + 1 };
  });

const burn = {
  nonce: 1n,
  account: 'a',
  owner: 'alice',
  mint: 'mint',
  amount: 9n,
  domain: 6,
  recipient: '0x1',
};
const [, { data: burnt, program } = { data: new Uint8Array(0), program: '' }] =
  burnForDeposit(burn).calls ?? [];

test.each([
  ['burns of CCTP', { program, accounts: [], data: Buffer.from(burnt) }],
  [
    'redemptions of Wormhole',
    {
      ...{ program: SOLANA_TOKEN_BRIDGE, data: Buffer.of(2) },
      accounts: ['alice', 'config', 'vaa', 'claim', 'endpoint', 'bob tokens'],
    },
  ],
])('of however many %s in a transaction each looks at the movements of its own call', (_, call) => {
  const count = 300;
  const counted = watched(count);
  const found = findBridgeTransfers(callsOf(count, call), {
    ...{ chain: 'solana', txIndex: 0, movements: counted.movements, handsOver: true, lines: null },
  });
  expect(found.bridgeTransfers.length).toBeGreaterThanOrEqual(count - 1);
  expect(counted.looks).toBeLessThan(5 * count);
});

test('lines of a log share the run that wrote them, however deep it is, and no chain calls deeper than two digits', () => {
  const depths = Array.from({ length: 99 }, (_, at) => `Program a${at} invoke [${at + 1}]`);
  const { logs, runs } = readProgramLogs([
    ...[...depths, 'Program b invoke [100]'],
    ...['Program log: x', 'Program log: y'],
  ]);
  expect(runs.has('b')).toBe(false);
  expect(logs.map(({ run }) => run.program)).toEqual(['a98', 'a98']);
  expect(logs[0]?.run).toBe(logs[1]?.run);
});

test('however often an account is opened and closed, few of those times are looked at for a row', () => {
  const count = 4_096;
  const account = newTokenAccount('mint', null);
  for (let row = 0; row < count; row++) addTurn(account, { row, isOpening: row % 2 === 0 });
  let looks = 0;
  const turns = new Proxy(account.turns, {
    get: (target, name) => {
      looks++;
      return Reflect.get(target, name);
    },
  });
  const opens = [0, 1, 2_000, 2_001, count].map((row) => wasOpen({ ...account, turns }, row));
  expect(opens).toEqual([true, false, true, false, false]);
  expect(looks).toBeLessThan(5 * 20);
});

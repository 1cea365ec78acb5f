import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import {
  block,
  FEE,
  join,
  keyOf,
  systemTransfer,
  type TestInstruction,
  type TestTransaction,
  tokenTransfer,
  transaction,
  u32,
  u64,
  VOTE,
} from '../../../testing/solana/build-transaction.ts';
import { inWireForm } from '../../../testing/solana/in-wire-form.ts';
import { decode, holding, payer, SOL, told } from '../../../testing/solana/tell-rows.ts';
import type { RawTransaction } from './raw-block.ts';

const ENCODINGS = ['json', 'base64'] as const;

const VOTING: TestInstruction = { program: VOTE, accounts: ['bob'], data: u32(12) };
const OTHER: TestInstruction = { program: keyOf('some program'), accounts: ['bob'], data: Uint8Array.of(1) };

const withdrawal = (from: string, to: string): TestInstruction => ({
  program: VOTE,
  accounts: [from, to, 'alice'],
  data: join(u32(3), u64(50n)),
});

/** Nodes list the calls only of instructions that made some. */
const build = (
  encoding: (typeof ENCODINGS)[number],
  instructions: readonly TestInstruction[],
  more: Partial<TestTransaction> = {},
): RawTransaction => {
  const built = transaction({ accounts: [payer(SOL, 0n)], instructions, ...more });
  const calls = built.meta?.innerInstructions?.filter((group) => group.instructions.length > 0) ?? [];
  const raw = { ...built, meta: built.meta && { ...built.meta, innerInstructions: calls } };
  return encoding === 'json' ? raw : inWireForm(raw);
};

const wireOf = ({ transaction }: RawTransaction): Buffer =>
  Buffer.from((transaction as readonly [string, string])[0], 'base64');

const rowsOf = (...transactions: readonly RawTransaction[]): string[] => {
  const { problems, movements } = decode(block(...transactions));
  expect(problems).toEqual([]);
  return movements.map(
    ({ kind, from, to, amountRaw }) => `${kind} ${told(from)} -> ${told(to)} ${amountRaw}`,
  );
};

const PAID = `fee alice -> nobody ${FEE}`;

test.each(ENCODINGS)(
  'of the Vote program only votes are summed, what authorises pays its own fee: %s',
  (encoding) => {
    const authorizing = { ...VOTING, data: join(u32(1), new Uint8Array(32), u32(0)) };
    const summed = decode(block(build(encoding, [VOTING]), build(encoding, [authorizing])), 'sum');
    expect(summed.voteFeesRaw).toBe(FEE);
    expect(summed.movements.map(({ txIndex, kind }) => [txIndex, kind])).toEqual([[1, 'fee']]);
  },
);

test('votes are known by the names that nodes give them, and authorisations too', () => {
  const parsed = (type: string) => {
    const raw = build('json', [VOTING]);
    const { message, signatures } = raw.transaction as { message: object; signatures: readonly string[] };
    const instructions = [{ programId: VOTE, program: 'vote', parsed: { type, info: {} } }];
    return { ...raw, transaction: { signatures, message: { ...message, instructions } } };
  };
  const types = ['vote', 'towersync', 'compactupdatevotestateswitch', 'authorize', 'withdraw'];
  const summed = decode({ ...block(), transactions: types.map(parsed) }, 'sum');
  expect(summed.voteFeesRaw).toBe(3n * FEE);
  expect(summed.transactions.map(({ txIndex }) => txIndex)).toEqual([3, 4]);
});

test.each(ENCODINGS)('what only cost its fee is one row, and summed only if it is a vote: %s', (encoding) => {
  const raw = block(build(encoding, [VOTING]), build(encoding, [OTHER, OTHER]));
  expect(rowsOf(...raw.transactions)).toEqual([PAID, PAID]);
  const summed = decode(raw, 'sum');
  expect(summed.voteFeesRaw).toBe(FEE);
  expect(summed.movements.map(({ kind, txIndex }) => [kind, txIndex])).toEqual([['fee', 1]]);
});

test.each(ENCODINGS)('what moved and came back is told although no balance changed: %s', (encoding) => {
  const there = ['transfer bob -> carol 50', 'transfer carol -> bob 50'];
  const [to, back] = [systemTransfer('bob', 'carol', 50n), systemTransfer('carol', 'bob', 50n)];
  expect(rowsOf(build(encoding, [withdrawal('bob', 'carol'), withdrawal('carol', 'bob')]))).toEqual([
    PAID,
    ...there,
  ]);
  expect(rowsOf(build(encoding, [OTHER, to, back]))).toEqual([PAID, ...there]);
  expect(rowsOf(build(encoding, [{ ...OTHER, calls: [to, back] }]))).toEqual([PAID, ...there]);
  expect(rowsOf(build(encoding, [systemTransfer('alice', 'alice', 50n)]))).toEqual([
    PAID,
    'transfer alice -> alice 50',
  ]);
});

test.each(ENCODINGS)(
  'rent is told that the runtime took from an account and a program replaced: %s',
  (encoding) => {
    const rewards = [{ pubkey: keyOf('bob'), lamports: -7, rewardType: 'Rent' }];
    const accounts = [payer(SOL, 0n), { name: 'carol', before: 9n, after: 2n }];
    expect(rowsOf(build(encoding, [VOTING], { accounts, rewards }))).toEqual([
      PAID,
      'rent bob -> nobody 7',
      'program carol -> bob 7',
    ]);
  },
);

test.each(ENCODINGS)('rent that no balance shows is a problem even of a vote: %s', (encoding) => {
  const rewards = [{ pubkey: keyOf('bob'), lamports: -7, rewardType: 'Rent' }];
  const { problems, movements } = decode(block(build(encoding, [VOTING], { rewards })));
  expect(problems).toMatchObject([{ code: 'balances_mismatch', txIndex: 0 }]);
  expect(movements).toEqual([]);
});

test.each(
  ENCODINGS.flatMap((encoding) =>
    [VOTING, OTHER].flatMap((instruction) =>
      (['preTokenBalances', 'postTokenBalances'] as const).map((list) => ({ encoding, instruction, list })),
    ),
  ),
)('a mint is learnt of $list even where nothing moved: $encoding, $instruction.program', (told) => {
  const accounts = [payer(SOL, 0n), holding('alice tokens', 'alice', 3n, 3n)];
  const passing = build(told.encoding, [told.instruction], { accounts, without: 'owners' });
  const meta = passing.meta && { ...passing.meta, preTokenBalances: [], postTokenBalances: [] };
  const listed = { ...passing, meta: meta && { ...meta, [told.list]: passing.meta?.preTokenBalances } };
  const unnamed = build(told.encoding, [tokenTransfer('alice tokens', 'bob tokens', 'alice', 3n)]);
  const { movements } = decode(block(listed, unnamed));
  expect(movements.at(-1)).toMatchObject({ kind: 'transfer', asset: keyOf('mint'), amountRaw: 3n });
});

test('a vote that is cut off is a problem of its own', () => {
  const whole = build('base64', [VOTING]);
  const text = wireOf(whole).subarray(0, -1).toString('base64');
  const { problems, movements } = decode(block({ ...whole, transaction: [text, 'base64'] }, whole));
  expect(problems.map(({ code, txIndex }) => [code, txIndex])).toEqual([['short_data', 0]]);
  expect(movements.map(({ txIndex }) => txIndex)).toEqual([1]);
});

test.each(['base64', 'base58'] as const)('a transaction of many kilobytes is read whole: %s', (encoding) => {
  const long = { ...OTHER, data: new Uint8Array(6_000).fill(7) };
  const accounts = [payer(SOL, 50n), { name: 'bob', before: 0n, after: 50n }];
  const raw = build('base64', [long, systemTransfer('alice', 'bob', 50n)], { accounts });
  const wire = wireOf(raw);
  expect(wire.length).toBeGreaterThan(6_000);
  const text = encoding === 'base64' ? wire.toString('base64') : base58.encode(wire);
  expect(rowsOf({ ...raw, transaction: [text, encoding] })).toEqual([PAID, 'transfer alice -> bob 50']);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  block,
  closeAccount,
  createAccount,
  FEE,
  giveAway,
  initializeAccount3,
  join,
  RENT,
  type TestInstruction,
  TOKEN_2022,
  transaction,
  transferChecked,
} from '../../testing/solana/build-transaction.ts';
import { findSumRuleBreaks } from '../../testing/solana/sum-rule.ts';
import { decode, holding, payer, rowsOf, SOL } from '../../testing/solana/tell-rows.ts';
import { smallerAmount } from './encoding/exact-integer.ts';

/** Only an empty token account can be closed: what it received and did not send on was withheld in it. */

/** `HarvestWithheldTokensToMint`: without it the account could not be closed. */
const harvest = (account: string) => ({
  program: TOKEN_2022,
  accounts: ['mint', account],
  data: join([26, 4]),
});
const close = (account: string, owner: string) => ({
  ...closeAccount(account, 'alice', owner),
  program: TOKEN_2022,
});
const open = [
  createAccount('alice', 'temp', RENT),
  { ...initializeAccount3('temp', 'mint', 'alice'), program: TOKEN_2022 },
];
const through = [
  transferChecked('bob tokens', 'mint', 'temp', 'bob', 100n),
  transferChecked('temp', 'mint', 'vault', 'alice', 97n),
  harvest('temp'),
  close('temp', 'alice'),
];
const rows = [
  ...['transfer bob -> alice 97 mint', 'fee bob -> nobody 3 mint'],
  ...['transfer alice -> pool 94 mint', 'fee alice -> nobody 3 mint'],
];
const others = [holding('bob tokens', 'bob', 1_000n, 900n), holding('vault', 'pool', 0n, 94n)];

test('a fee that was withheld in an account is a fee though the account is closed in the same transaction', () => {
  const accounts = [payer(SOL, -RENT), holding('temp', 'alice', 0n, undefined), ...others];
  expect(rowsOf({ accounts, instructions: through })).toEqual([
    ...rows,
    `rent nobody -> alice ${RENT} native`,
  ]);
});

test('so it is where the account lives within the transaction, once or again', () => {
  const temp = { name: 'temp', before: 0n, after: 0n };
  expect(
    rowsOf({ accounts: [payer(SOL, 0n), temp, ...others], instructions: [...open, ...through] }),
  ).toEqual(expect.arrayContaining(rows));
  const twice = [holding('bob tokens', 'bob', 1_000n, 800n), holding('vault', 'pool', 0n, 188n)];
  const instructions = [...open, ...through, ...open, ...through];
  const kept = rowsOf({ accounts: [payer(SOL, 0n), temp, ...twice], instructions });
  expect(kept.filter((row) => row.includes('mint'))).toEqual([...rows, ...rows]);
});

test('what is withheld after an account was opened again by a call that is not recorded is no fee of what came before', () => {
  const accounts = [
    ...[payer(SOL, 0n), holding('temp', 'alice', 0n, 48n)],
    ...[holding('bob tokens', 'bob', 1_000n, 850n), holding('vault', 'pool', 0n, 94n)],
  ];
  const reopened = { program: 'some program', accounts: ['temp'], data: Uint8Array.of(1) };
  const later = transferChecked('bob tokens', 'mint', 'temp', 'bob', 50n);
  const kept = rowsOf({ accounts, instructions: [...through, reopened, later] });
  expect(kept.filter((row) => row.includes('mint'))).toEqual([
    ...rows,
    ...['transfer bob -> alice 48 mint', 'fee bob -> nobody 2 mint'],
  ]);
});

test('withheld fees paid out to an account, and out of it before it is closed, came from nobody', () => {
  const withdraw = { program: TOKEN_2022, accounts: ['mint', 'temp', 'alice'], data: join([26, 2]) };
  const send = transferChecked('temp', 'mint', 'vault', 'alice', 50n);
  const accounts = [
    ...[payer(SOL, -RENT), holding('temp', 'alice', 0n, undefined), holding('vault', 'pool', 0n, 50n)],
  ];
  expect(rowsOf({ accounts, instructions: [withdraw, send, close('temp', 'alice')] })).toEqual([
    'transfer alice -> pool 50 mint',
    'fee nobody -> alice 50 mint',
    `rent nobody -> alice ${RENT} native`,
  ]);
});

test('what left an account without a call that is recorded, before it was closed, is paired and said', () => {
  const raw = block(
    transaction({
      accounts: [
        payer(SOL, -RENT),
        holding('alice tokens', 'alice', 700n, undefined),
        holding('bob tokens', 'bob', 0n, 700n),
      ],
      instructions: [closeAccount('alice tokens', 'alice', 'alice')],
    }),
  );
  const decoded = decode(raw);
  expect(decoded.problems.map(({ code }) => code)).toEqual(['balance_unexplained']);
  expect(findSumRuleBreaks(raw, decoded)).toEqual([]);
});

test('an account is handed over with what was not withheld in it', () => {
  const accounts = [
    payer(SOL, 0n),
    holding('bob tokens', 'bob', 1_000n, 900n),
    { ...holding('temp', 'alice', 0n, 97n), ownerAfter: 'carol' },
  ];
  const receive = transferChecked('bob tokens', 'mint', 'temp', 'bob', 100n);
  expect(
    rowsOf({ accounts, instructions: [receive, giveAway('temp', 'alice', 'carol', TOKEN_2022)] }),
  ).toEqual([
    ...['transfer bob -> alice 97 mint', 'fee bob -> nobody 3 mint'],
    'owner_change alice -> carol 97 mint',
  ]);
});

const OWNERS = { a: 'alice', b: 'bob', c: 'carol', d: 'alice' } as const;
type Slot = keyof typeof OWNERS;
const SLOTS = Object.keys(OWNERS) as Slot[];
type Held = { amount: bigint; isOpen: boolean; owner: string };
type Step = {
  readonly act: 'send' | 'close' | 'give';
  readonly from: Slot;
  readonly to: Slot;
  readonly amount: bigint;
};

/** Sends up to that much, or all of it and closes the account, or gives it away; nothing where one of both is closed. */
const run = (
  held: Record<Slot, Held>,
  { act, from, to, amount }: Step,
  feeOf: (sent: bigint) => bigint,
): TestInstruction[] => {
  const [source, target] = [held[from], held[to]];
  if (!source.isOpen || !target.isOpen || from === to) return [];
  const { owner } = source;
  if (act === 'give') {
    source.owner = OWNERS[to];
    return [giveAway(from, owner, source.owner, TOKEN_2022)];
  }
  const sent = act === 'close' || source.amount < amount ? source.amount : amount;
  source.amount -= sent;
  target.amount += sent - feeOf(sent);
  const moves = [transferChecked(from, 'mint', to, owner, sent)];
  if (act === 'send') return moves;
  source.isOpen = false;
  return [...moves, harvest(from), close(from, owner)];
};

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom('send', 'close', 'give'),
  from: fc.constantFrom(...SLOTS),
  to: fc.constantFrom(...SLOTS),
  amount: fc.bigInt({ min: 0n, max: 400n }),
});
const transactionOf = (steps: readonly Step[], feeOf: (sent: bigint) => bigint) => {
  const begin = (owner: string): Held => ({ amount: 1_000n, isOpen: true, owner });
  const held = { a: begin(OWNERS.a), b: begin(OWNERS.b), c: begin(OWNERS.c), d: begin(OWNERS.d) };
  const instructions = steps.flatMap((one) => run(held, one, feeOf));
  const closed = SLOTS.filter((slot) => !held[slot].isOpen).length;
  const accounts = [
    { name: 'alice', before: SOL, after: SOL - FEE + BigInt(closed) * RENT },
    ...SLOTS.map((slot) => ({
      ...holding(slot, OWNERS[slot], 1_000n, held[slot].isOpen ? held[slot].amount : undefined),
      ownerAfter: held[slot].owner,
    })),
  ];
  return transaction({ accounts, instructions });
};

test('whatever is withheld, in whichever order accounts are closed or given away, every party’s rows sum to its change', () => {
  const [rate, cap] = [fc.bigInt({ min: 0n, max: 2_000n }), fc.bigInt({ min: 1n, max: 50n })];
  fc.assert(
    fc.property(rate, cap, fc.array(step, { minLength: 1, maxLength: 12 }), (basisPoints, most, steps) => {
      const feeOf = (sent: bigint) => smallerAmount((sent * basisPoints + 9_999n) / 10_000n, most);
      const raw = block(transactionOf(steps, feeOf));
      const decoded = decode(raw);
      expect(decoded.problems).toEqual([]);
      expect(findSumRuleBreaks(raw, decoded)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('an account given away nearly empty makes no transaction undecodable, though its fees are guessed wrong', () => {
  const send = (amount: bigint) => transferChecked('bob tokens', 'mint', 'temp', 'bob', amount);
  const accounts = [
    payer(SOL, 0n),
    holding('bob tokens', 'bob', 2_000n, 950n),
    holding('vault', 'pool', 0n, 990n),
    { ...holding('temp', 'alice', 0n, 45n), ownerAfter: 'carol' },
  ];
  const onward = transferChecked('temp', 'mint', 'vault', 'alice', 995n);
  const instructions = [send(1_000n), onward, giveAway('temp', 'alice', 'carol', TOKEN_2022), send(50n)];
  const { movements, problems } = decode(block(transaction({ accounts, instructions })));
  expect(problems).toEqual([]);
  expect(movements.map(({ kind }) => kind)).toContain('owner_change');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  block,
  closeAccount,
  createAccount,
  FEE,
  initializeAccount3,
  join,
  RENT,
  type TestInstruction,
  TOKEN_2022,
  transaction,
  transferChecked,
} from '../../testing/solana/build-transaction.ts';
import { decode, holding, payer, rowsOf, SOL } from '../../testing/solana/tell-rows.ts';
import { findSumRuleBreaks } from './sum-rule.ts';

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

const OWNERS = { a: 'alice', b: 'bob', c: 'carol', d: 'alice' } as const;
type Slot = keyof typeof OWNERS;
const SLOTS = Object.keys(OWNERS) as Slot[];
type Held = { amount: bigint; isOpen: boolean };
type Step = { readonly closes: boolean; readonly from: Slot; readonly to: Slot; readonly amount: bigint };

/** Sends up to that much, or all of it and closes the account; nothing where one of both is closed. */
const run = (
  held: Record<Slot, Held>,
  { closes, from, to, amount }: Step,
  feeOf: (sent: bigint) => bigint,
) => {
  const [source, target] = [held[from], held[to]];
  if (!source.isOpen || !target.isOpen || from === to) return [];
  const sent = closes || source.amount < amount ? source.amount : amount;
  source.amount -= sent;
  target.amount += sent - feeOf(sent);
  const moves: TestInstruction[] = [transferChecked(from, 'mint', to, OWNERS[from], sent)];
  if (!closes) return moves;
  source.isOpen = false;
  return [...moves, harvest(from), close(from, OWNERS[from])];
};

test('whatever is withheld, in whichever order accounts are closed, every party’s rows sum to its change', () => {
  const step = fc.record({
    closes: fc.boolean(),
    from: fc.constantFrom(...SLOTS),
    to: fc.constantFrom(...SLOTS),
    amount: fc.bigInt({ min: 0n, max: 400n }),
  });
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2_000n }),
      fc.bigInt({ min: 1n, max: 50n }),
      fc.array(step, { minLength: 1, maxLength: 12 }),
      (rate, cap, steps) => {
        const feeOf = (sent: bigint): bigint => {
          const fee = (sent * rate + 9_999n) / 10_000n;
          return fee < cap ? fee : cap;
        };
        const begin = (): Held => ({ amount: 1_000n, isOpen: true });
        const held = { a: begin(), b: begin(), c: begin(), d: begin() };
        const instructions = steps.flatMap((one) => run(held, one, feeOf));
        const closed = SLOTS.filter((slot) => !held[slot].isOpen).length;
        const accounts = [
          { name: 'alice', before: SOL, after: SOL - FEE + BigInt(closed) * RENT },
          ...SLOTS.map((slot) =>
            holding(slot, OWNERS[slot], 1_000n, held[slot].isOpen ? held[slot].amount : undefined),
          ),
        ];
        const raw = block(transaction({ accounts, instructions }));
        const decoded = decode(raw);
        expect(decoded.problems).toEqual([]);
        expect(findSumRuleBreaks(raw, decoded)).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

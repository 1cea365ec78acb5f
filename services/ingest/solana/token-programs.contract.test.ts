import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  block,
  closeAccount,
  giveAway,
  initializeAccount3,
  join,
  syncNative,
  systemTransfer,
  type TestInstruction,
  TOKEN,
  TOKEN_2022,
  tokenTransfer,
  transferChecked,
  u64,
  WRAPPED_SOL,
} from '../../testing/solana/build-transaction.ts';
import { findSumRuleBreaks } from '../../testing/solana/sum-rule.ts';
import { feeOf, MINTS, PEOPLE, SLOTS, TokenBank, WRAPPED_SOL_2022 } from '../../testing/solana/token-bank.ts';
import { decodeSolanaBlock } from './decode-solana-block.ts';

const [PLAIN, WITH_FEE] = MINTS;
const ACCOUNT_BYTES = 165n;
/** With what Token-2022 keeps back noted in it. */
const FEE_ACCOUNT_BYTES = 178n;

const step = fc.record({
  kind: fc.nat(),
  a: fc.constantFrom(...SLOTS),
  b: fc.constantFrom(...SLOTS),
  who: fc.constantFrom(...PEOPLE),
  other: fc.constantFrom(...PEOPLE),
  mint: fc.constantFrom(WRAPPED_SOL, WRAPPED_SOL_2022, PLAIN, WITH_FEE),
  amount: fc.constantFrom(0n, 1n, 7n, 50n, 1_000n, 2_500_000n),
});
type Step = typeof step extends fc.Arbitrary<infer Of> ? Of : never;

const programOf = (mint: string): string => (mint === WRAPPED_SOL || mint === PLAIN ? TOKEN : TOKEN_2022);

/** What may be tried with a step: the programs refuse most of it. */
const KINDS: readonly ((bank: TokenBank, step: Step) => TestInstruction[])[] = [
  (bank, { a, who, mint, amount }) => {
    const program = programOf(mint);
    const space = mint === WITH_FEE ? FEE_ACCOUNT_BYTES : ACCOUNT_BYTES;
    return [bank.create(a, space, program, amount), { ...initializeAccount3(a, mint, who), program }];
  },
  (_, { who, a, amount }) => [systemTransfer(who, a, amount)],
  (_, { a, mint }) => [{ ...syncNative(a), program: programOf(mint) }],
  (_, { a, b, who, mint, amount }) => [{ ...tokenTransfer(a, b, who, amount), program: programOf(mint) }],
  (_, { a, b, who, amount }) => [transferChecked(a, WITH_FEE, b, who, amount)],
  (_, { a, b, who, amount }) => [
    {
      ...{ program: TOKEN_2022, accounts: [a, WITH_FEE, b, who] },
      data: join([26, 1], u64(amount), [6], u64(feeOf(amount))),
    },
  ],
  (_, { a, amount }) => [{ program: TOKEN, accounts: [PLAIN, a, 'alice'], data: join([7], u64(amount)) }],
  (_, { a, amount }) => [
    { program: TOKEN_2022, accounts: [WITH_FEE, a, 'alice'], data: join([7], u64(amount)) },
  ],
  (_, { a, who, amount }) => [
    { program: TOKEN_2022, accounts: [a, WITH_FEE, who], data: join([8], u64(amount)) },
  ],
  (_, { a, who, other, mint }) => [{ ...closeAccount(a, other, who), program: programOf(mint) }],
  (_, { a, who, other, mint }) => [giveAway(a, who, other, programOf(mint))],
  // What was kept back: gathered in the mint, paid out of it, and out of an account.
  (_, { a }) => [{ program: TOKEN_2022, accounts: [WITH_FEE, a], data: Uint8Array.of(26, 4) }],
  (_, { a }) => [{ program: TOKEN_2022, accounts: [WITH_FEE, a, 'alice'], data: Uint8Array.of(26, 2) }],
  (_, { a, b }) => [
    { program: TOKEN_2022, accounts: [WITH_FEE, a, 'alice', b], data: Uint8Array.of(26, 3, 1) },
  ],
  // Lamports beyond the rent, and wrapped ones.
  (_, { a, who, other, mint }) => [
    { program: programOf(mint), accounts: [a, other, who], data: Uint8Array.of(38) },
  ],
  (_, { a, b, who, mint, amount }) => [
    { program: programOf(mint), accounts: [a, b, who], data: join([45, 1], u64(amount)) },
  ],
];

/** Of what the steps ask for as much as the bank carries out in one transaction. */
const build = (bank: TokenBank, steps: readonly Step[]): TestInstruction[] => {
  const done: TestInstruction[] = [];
  for (const one of steps) {
    const more = KINDS[one.kind % KINDS.length]?.(bank, one) ?? [];
    if (bank.accepts([...done, ...more])) done.push(...more);
  }
  return done;
};

test('whatever the real token programs carry out, its rows sum to what everybody’s balance changed by', () => {
  let moved = 0;
  const check = (transactions: readonly Step[][]): void => {
    const bank = new TokenBank();
    for (const steps of transactions) {
      const told = bank.execute(build(bank, steps));
      if (told === null) continue;
      const raw = block(told);
      const decoded = decodeSolanaBlock({ block: raw, slot: 1, chain: 'solana', votes: 'each' });
      expect({ problems: decoded.problems, exempt: decoded.exempt }).toEqual({ problems: [], exempt: {} });
      expect(findSumRuleBreaks(raw, decoded)).toEqual([]);
      moved += decoded.movements.length;
    }
  };
  const steps = fc.array(step, { minLength: 20, maxLength: 60 });
  fc.assert(fc.property(fc.array(steps, { minLength: 1, maxLength: 3 }), check), { numRuns: 40 });
  expect(moved).toBeGreaterThan(200);
});

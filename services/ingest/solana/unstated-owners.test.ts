import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  block,
  closeAccount,
  createAccount,
  giveAway,
  initializeAccount3,
  join,
  RENT,
  type TestInstruction,
  TOKEN,
  tokenTransfer,
  transaction,
  transferChecked,
  u64,
} from '../../testing/solana/build-transaction.ts';
import { decode, payer, rowsOf, SOL, told } from '../../testing/solana/tell-rows.ts';

/** Blocks of before 2022, whose balances name no owners, and of 2020, which have no balances of tokens at all. */

const SLOTS = ['alice tokens', 'bob tokens', 'temp', 'vault'] as const;
const OWNERS = ['alice', 'bob', 'carol'] as const;
const MINTS = ['mint', 'pool'] as const;

type Held = { readonly mint: string; owner: string; amount: bigint };
type Step = {
  readonly act: 'pay' | 'pay checked' | 'give' | 'close' | 'open';
  readonly from: string;
  readonly to: string;
  readonly owner: string;
  readonly mint: string;
};
/** Who paid whom what, by the amount, which no other payment has. */
type Payments = Map<bigint, { readonly from: string[]; readonly to: string[]; readonly mint: string }>;

const pay = (held: Map<string, Held>, { act, from, to }: Step, payments: Payments): TestInstruction[] => {
  const [source, target] = [held.get(from), held.get(to)];
  if (!source || !target || source.mint !== target.mint || from === to || source.amount < 1_000n) return [];
  const [amount, { owner, mint }] = [BigInt(payments.size + 1), source];
  source.amount -= amount;
  target.amount += amount;
  payments.set(amount, { from: [owner, from], to: [target.owner, to], mint });
  if (act === 'pay') return [tokenTransfer(from, to, owner, amount)];
  return [{ program: TOKEN, accounts: [from, mint, to, owner], data: join([12], u64(amount), [6]) }];
};

/** One address that holds two mints in one transaction needs two entries, which the builder does not make. */
const run = (
  held: Map<string, Held>,
  were: ReadonlySet<string>,
  step: Step,
  payments: Payments,
): TestInstruction[] => {
  const { act, from, owner, mint } = step;
  const source = held.get(from);
  if (act === 'open') {
    if (source || were.has(from)) return [];
    held.set(from, { mint, owner, amount: 0n });
    return [createAccount('alice', from, RENT), initializeAccount3(from, mint, owner)];
  }
  if (!source) return [];
  const before = source.owner;
  if (act === 'give') {
    source.owner = owner;
    return [giveAway(from, before, owner)];
  }
  if (act !== 'close') return pay(held, step, payments);
  held.delete(from);
  const burn = { program: TOKEN, accounts: [from, source.mint, before], data: join([8], u64(source.amount)) };
  return [...(source.amount > 0n ? [burn] : []), closeAccount(from, 'alice', before)];
};

const transactionOf = (
  held: Map<string, Held>,
  without: 'owners' | 'balances',
  made: (were: ReadonlySet<string>) => TestInstruction[],
) => {
  const was = new Map([...held].map(([name, { amount }]) => [name, amount]));
  const mints = new Map([...held].map(([name, { mint }]) => [name, mint]));
  const instructions = made(new Set(was.keys()));
  const accounts = SLOTS.map((name) => {
    const [amountBefore, amountAfter] = [was.get(name), held.get(name)?.amount];
    return {
      ...{ name, mint: held.get(name)?.mint ?? mints.get(name) ?? 'mint' },
      before: amountBefore === undefined ? 0n : RENT,
      after: amountAfter === undefined ? 0n : RENT,
      ...(amountBefore === undefined ? {} : { amountBefore }),
      ...(amountAfter === undefined ? {} : { amountAfter }),
    };
  });
  const opened = BigInt(held.size - was.size);
  return transaction({ accounts: [payer(9n * SOL, opened * RENT), ...accounts], instructions, without });
};

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom('pay', 'pay', 'pay checked', 'give', 'close', 'open'),
  from: fc.constantFrom(...SLOTS),
  to: fc.constantFrom(...SLOTS),
  owner: fc.constantFrom(...OWNERS),
  mint: fc.constantFrom(...MINTS),
});
const steps = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 6 });
const first = fc.array(fc.record({ owner: fc.constantFrom(...OWNERS), mint: fc.constantFrom(...MINTS) }), {
  minLength: SLOTS.length,
  maxLength: SLOTS.length,
});

test.each(['owners', 'balances'] as const)(
  'a block that states no %s never tells of a wrong party or a wrong mint: who paid, or the account that did',
  (without) => {
    fc.assert(
      fc.property(first, steps, (begin, blockSteps) => {
        const held = new Map(
          begin.map((account, at): [string, Held] => [SLOTS[at] ?? '', { ...account, amount: 9_000n }]),
        );
        const payments: Payments = new Map();
        const raw = blockSteps.map((own) =>
          transactionOf(held, without, (were) => own.flatMap((one) => run(held, were, one, payments))),
        );
        const { movements, problems } = decode(block(...raw));
        expect(problems.filter(({ code }) => code !== 'asset_unknown')).toEqual([]);
        for (const { kind, asset, from, to, amountRaw } of movements) {
          if (kind !== 'transfer' || asset === 'native') continue;
          const payment = payments.get(amountRaw);
          expect(payment?.mint).toBe(told(asset));
          expect(payment?.from).toContain(told(from));
          expect(payment?.to).toContain(told(to));
        }
      }),
      { numRuns: 300 },
    );
  },
);

test('who got an account only later in the block did not pay out of it before', () => {
  const plain = { accounts: [payer(SOL, 0n)], without: 'balances' as const };
  const rows = rowsOf(
    { ...plain, instructions: [tokenTransfer('temp', 'alice tokens', 'carol', 3n)] },
    { ...plain, instructions: [giveAway('temp', 'carol', 'bob')] },
    { ...plain, instructions: [transferChecked('temp', 'mint', 'alice tokens', 'bob', 4n)] },
  );
  expect(rows).toEqual([
    'transfer temp -> alice tokens 3 mint by carol',
    'transfer bob -> alice tokens 4 mint',
  ]);
});

test('an account opened only later in the block says nothing of the mint that was moved at its address before', () => {
  const held = { name: 'temp', before: RENT, after: 0n };
  const rows = rowsOf(
    {
      accounts: [payer(SOL, -RENT), held],
      instructions: [
        tokenTransfer('temp', 'alice tokens', 'carol', 3n),
        closeAccount('temp', 'alice', 'carol'),
      ],
      without: 'balances',
    },
    {
      accounts: [payer(SOL, RENT), { ...held, before: 0n, after: RENT }],
      instructions: [createAccount('alice', 'temp', RENT), initializeAccount3('temp', 'mint', 'bob')],
      without: 'balances',
    },
  );
  expect(rows).toEqual([`rent nobody -> alice ${RENT} native`, `rent alice -> nobody ${RENT} native`]);
});

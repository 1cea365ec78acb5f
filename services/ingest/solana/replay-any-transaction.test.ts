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
  keyOf,
  RENT,
  SYSTEM,
  syncNative,
  systemTransfer,
  type TestAccount,
  type TestInstruction,
  TOKEN,
  tokenTransfer,
  transaction,
  u32,
  u64,
  WRAPPED_SOL,
} from '../../testing/solana/build-transaction.ts';
import { findSumRuleBreaks } from '../../testing/solana/sum-rule.ts';
import { decodeSolanaBlock } from './decode-solana-block.ts';

/** A small machine that executes token instructions as the programs do, to make transactions whose ends are known. */

const PEOPLE = ['alice', 'bob', 'carol'] as const;
const POOL = 'pool';
const SLOTS = ['slot 0', 'slot 1', 'slot 2', 'slot 3'] as const;

type Held = { mint: string; owner: string; amount: bigint; reserve: bigint };
type State = { readonly lamports: Map<string, bigint>; readonly held: Map<string, Held> };

const copy = ({ lamports, held }: State): State => ({
  lamports: new Map(lamports),
  held: new Map([...held].map(([name, token]) => [name, { ...token }])),
});

/** What a random step asks for; it becomes an instruction where the state allows one. */
type Step = {
  readonly operation: number;
  readonly op: number;
  readonly who: string;
  readonly a: string;
  readonly b: string;
  readonly amount: bigint;
};

const pay = (state: State, from: string, to: string, amount: bigint): void => {
  state.lamports.set(from, (state.lamports.get(from) ?? 0n) - amount);
  state.lamports.set(to, (state.lamports.get(to) ?? 0n) + amount);
};

const lamportsOf = (state: State, name: string): bigint => state.lamports.get(name) ?? 0n;

const open = (state: State, { who, a, b, amount, op }: Step): TestInstruction[] => {
  if (state.held.has(a)) return [];
  const mint = op % 2 === 0 ? WRAPPED_SOL : 'mint';
  // What somebody sent to the address before counts towards its rent.
  const earlier = lamportsOf(state, a);
  const lamports = RENT + amount - earlier;
  if (lamports < 0n) return [];
  pay(state, who, a, lamports);
  const owner = PEOPLE[b.length % 3] ?? 'alice';
  state.held.set(a, { mint, owner, amount: mint === WRAPPED_SOL ? amount : 0n, reserve: RENT });
  const creation =
    earlier === 0n ? [createAccount(who, a, lamports)] : [systemTransfer(who, a, lamports), allocate(a)];
  return [...creation, initializeAccount3(a, mint, owner)];
};

const allocate = (account: string): TestInstruction => ({
  program: SYSTEM,
  accounts: [account],
  data: join(u32(8), u64(165n)),
});

const send = (state: State, { who, a, amount }: Step): TestInstruction[] => {
  pay(state, who, a, amount);
  return [systemTransfer(who, a, amount)];
};

const sync = (state: State, { a }: Step): TestInstruction[] => {
  const token = state.held.get(a);
  if (token?.mint !== WRAPPED_SOL) return [];
  token.amount = lamportsOf(state, a) - token.reserve;
  return [syncNative(a)];
};

const move = (state: State, { a, b, amount, who }: Step): TestInstruction[] => {
  const from = state.held.get(a);
  const to = state.held.get(b);
  if (from === undefined || to === undefined || from.mint !== to.mint || from.amount < amount) return [];
  from.amount -= amount;
  to.amount += amount;
  if (from.mint === WRAPPED_SOL) pay(state, a, b, amount);
  return [tokenTransfer(a, b, who, amount)];
};

const close = (state: State, { a, who }: Step): TestInstruction[] => {
  const token = state.held.get(a);
  if (token === undefined || (token.mint !== WRAPPED_SOL && token.amount > 0n)) return [];
  pay(state, a, who, lamportsOf(state, a));
  state.held.delete(a);
  return [closeAccount(a, who, token.owner)];
};

const unwrap = (state: State, { a, who, amount }: Step): TestInstruction[] => {
  const token = state.held.get(a);
  if (token?.mint !== WRAPPED_SOL || token.amount < amount) return [];
  token.amount -= amount;
  pay(state, a, who, amount);
  return [{ program: TOKEN, accounts: [a, who, token.owner], data: join([45, 1], u64(amount)) }];
};

const supply = (state: State, { a, amount, op, who }: Step): TestInstruction[] => {
  const token = state.held.get(a);
  if (token?.mint !== 'mint') return [];
  const isMint = op % 2 === 0 || token.amount < amount;
  token.amount += isMint ? amount : -amount;
  const data = join([isMint ? 7 : 8], u64(amount));
  return [{ program: TOKEN, accounts: isMint ? ['mint', a, who] : [a, 'mint', who], data }];
};

const handOver = (state: State, { a, who }: Step): TestInstruction[] => {
  const token = state.held.get(a);
  if (token === undefined) return [];
  const { owner } = token;
  token.owner = who;
  return [giveAway(a, owner, who)];
};

const payPerson = (state: State, { who, b, amount }: Step): TestInstruction[] => {
  const to = PEOPLE[b.length % 3] ?? 'bob';
  pay(state, who, to, amount);
  return [systemTransfer(who, to, amount)];
};

/** A program pays out of an account of its own, and no instruction says so. */
const credit = (state: State, { a, b, op, amount }: Step): TestInstruction[] => {
  pay(state, POOL, op === 0 ? a : (PEOPLE[b.length % 3] ?? 'bob'), amount);
  return [{ program: keyOf('dex'), accounts: [], data: Uint8Array.of(1) }];
};

const OPERATIONS = [open, open, send, credit, sync, move, move, close, unwrap, supply, handOver, payPerson];

const step = fc.record({
  operation: fc.nat(OPERATIONS.length - 1),
  op: fc.nat(1),
  who: fc.constantFrom(...PEOPLE),
  a: fc.constantFrom(...SLOTS),
  b: fc.constantFrom(...SLOTS),
  // Less than a rent, and more.
  amount: fc.oneof(fc.bigInt({ min: 0n, max: 50n }), fc.constantFrom(RENT, 100n * RENT)),
});

const run = (state: State, steps: readonly Step[]): TestInstruction[] =>
  steps.flatMap((one) => OPERATIONS[one.operation]?.(state, one) ?? []);

const accountsOf = (before: State, after: State): TestAccount[] =>
  [...PEOPLE, POOL, ...SLOTS].map((name) => {
    const was = before.held.get(name);
    const is = after.held.get(name);
    const token = was ?? is;
    return {
      name,
      before: lamportsOf(before, name),
      after: lamportsOf(after, name) - (name === 'alice' ? FEE : 0n),
      ...(token === undefined ? {} : { mint: token.mint, owner: token.owner }),
      ...(is === undefined ? {} : { ownerAfter: is.owner }),
      ...(was === undefined ? {} : { amountBefore: was.amount }),
      ...(is === undefined ? {} : { amountAfter: is.amount }),
    };
  });

test('whatever instructions a transaction executes, they and what programs pay by themselves explain all that it moved', () => {
  let moved = 0;
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 12 }),
      fc.array(step, { minLength: 1, maxLength: 20 }),
      (earlier, steps) => {
        const before: State = {
          lamports: new Map([...PEOPLE, POOL].map((name) => [name, 10n ** 12n])),
          held: new Map(),
        };
        run(before, earlier);
        const after = copy(before);
        const instructions = run(after, steps);
        // One address that holds two mints in turn needs two entries, which the builder does not make.
        const isSwitched = SLOTS.some((name) => {
          const was = before.held.get(name)?.mint;
          const is = after.held.get(name)?.mint;
          return was !== undefined && is !== undefined && was !== is;
        });
        if (isSwitched) return;
        const raw = block(transaction({ accounts: accountsOf(before, after), instructions }));
        const decoded = decodeSolanaBlock({ block: raw, slot: 1, chain: 'solana', votes: 'each' });
        expect({ problems: decoded.problems, exempt: decoded.exempt }).toEqual({ problems: [], exempt: {} });
        expect(findSumRuleBreaks(raw, decoded)).toEqual([]);
        expect(
          decoded.movements.filter(
            ({ kind, from, amountRaw }) => (kind === 'program' && from !== keyOf(POOL)) || amountRaw < 0n,
          ),
        ).toEqual([]);
        moved += decoded.movements.length;
      },
    ),
    { numRuns: 1_500 },
  );
  expect(moved).toBeGreaterThan(3_000);
});

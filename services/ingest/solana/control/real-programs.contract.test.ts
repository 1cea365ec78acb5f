import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ControlEvent } from '../../../investigate/model/control-event.ts';
import {
  block,
  closeAccount,
  giveAway,
  initializeAccount3,
  join,
  keyBytes,
  keyOf,
  type TestInstruction,
  TOKEN,
  TOKEN_2022,
  u64,
} from '../../../testing/solana/build-transaction.ts';
import { MINTS, PEOPLE, SLOTS, TokenBank, type TokenPowers } from '../../../testing/solana/token-bank.ts';
import { decodeSolanaBlock } from '../decode-solana-block.ts';

const [PLAIN, WITH_FEE] = MINTS;

const step = fc.record({
  kind: fc.nat(),
  at: fc.constantFrom(...SLOTS),
  who: fc.constantFrom(...PEOPLE),
  other: fc.constantFrom(...PEOPLE),
  program: fc.constantFrom(TOKEN, TOKEN_2022),
  amount: fc.constantFrom(0n, 1n, 50n),
});
type Step = typeof step extends fc.Arbitrary<infer Of> ? Of : never;

/** What may be tried with a step: the programs refuse most of it. */
const KINDS: readonly ((bank: TokenBank, step: Step) => TestInstruction[])[] = [
  (bank, { at, who, program }) => {
    const mint = program === TOKEN ? PLAIN : WITH_FEE;
    const space = program === TOKEN ? 165n : 178n;
    return [bank.create(at, space, program), { ...initializeAccount3(at, mint, who), program }];
  },
  (_, { at, who, other, program, amount }) => [
    { program, accounts: [at, other, who], data: join([4], u64(amount)) },
  ],
  (_, { at, who, other, program, amount }) => [
    {
      program,
      accounts: [at, program === TOKEN ? PLAIN : WITH_FEE, other, who],
      data: join([13], u64(amount), [6]),
    },
  ],
  (_, { at, who, program }) => [{ program, accounts: [at, who], data: Uint8Array.of(5) }],
  (_, { at, who, other, program }) => [giveAway(at, who, other, program)],
  (_, { at, who, other, program }) => [
    { program, accounts: [at, who], data: join([6, 3, 1], keyBytes(other)) },
  ],
  (_, { at, who, program }) => [{ program, accounts: [at, who], data: Uint8Array.of(6, 3, 0) }],
  (_, { at, kind }) => [
    { program: TOKEN, accounts: [at, PLAIN, 'alice'], data: Uint8Array.of(kind % 2 === 0 ? 10 : 11) },
  ],
  (_, { at, who, program }) => [{ ...closeAccount(at, 'carol', who), program }],
];

const [OPENING, CLOSING] = [0, KINDS.length - 1];

/** What the events so far say of each account, and whether each of them fits what was said before. */
const follow = (said: Map<string, TokenPowers>, event: ControlEvent): void => {
  const { kind, subject, holder, party, amountRaw, detail } = event;
  const before = said.get(subject);
  if (before === undefined) return;
  const change = (over: Partial<TokenPowers>) => said.set(subject, { ...before, ...over });
  if (kind === 'approval') {
    expect(holder).toBe(before.owner);
    change({ delegate: party, delegatedRaw: amountRaw });
  } else if (kind === 'frozen' || kind === 'thawed') {
    expect([holder, party]).toEqual([before.owner, keyOf('alice')]);
    change({ isFrozen: kind === 'frozen' });
  } else if (detail === 'owner' && party !== null) {
    expect(holder).toBe(before.owner);
    change({ owner: party, delegate: null, delegatedRaw: 0n });
  } else if (detail === 'close') {
    expect([before.owner, before.closer]).toContain(holder);
    change({ closer: party });
  }
};

/** Told where another than the owner closed an account: whose it was, and who closed it. */
const expectedClosings = (powers: TokenPowers | null, who: string): unknown[] =>
  powers === null || powers.owner === keyOf(who) ? [] : [[powers.owner, keyOf(who)]];

/** Tries one step, and compares what its events say with what the program wrote. Returns its events. */
const tryStep = (bank: TokenBank, said: Map<string, TokenPowers>, one: Step): readonly ControlEvent[] => {
  const { at, who } = one;
  const kind = one.kind % KINDS.length;
  const powers = bank.powersOver(at);
  const raw = bank.execute(KINDS[kind]?.(bank, one) ?? []);
  if (raw === null) return [];
  const input = { block: block(raw), slot: 100, chain: 'solana', votes: 'each' } as const;
  const { controlEvents, problems } = decodeSolanaBlock(input);
  expect(problems.map(({ code }) => code)).toEqual([]);
  if (kind === CLOSING) {
    const closings = controlEvents.filter(({ detail }) => detail === 'close');
    expect(closings.map(({ holder, party }) => [holder, party])).toEqual(expectedClosings(powers, who));
    said.delete(keyOf(at));
  } else for (const event of controlEvents) follow(said, event);
  const now = bank.powersOver(at);
  if (kind === OPENING && now) said.set(keyOf(at), now);
  expect(said.get(keyOf(at)) ?? null).toEqual(now);
  return controlEvents;
};

test('what events say of who may act for an account is what the real token programs wrote into it', () => {
  const told = new Set<string>();
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 40 }), (steps) => {
      const bank = new TokenBank();
      const said = new Map<string, TokenPowers>();
      for (const one of steps)
        for (const { kind, detail } of tryStep(bank, said, one)) told.add(`${kind} ${detail}`);
    }),
    { numRuns: 25, seed: 7 },
  );
  expect([...told].toSorted()).toEqual([
    'approval null',
    'authority_changed close',
    'authority_changed owner',
    'frozen null',
    'thawed null',
  ]);
});

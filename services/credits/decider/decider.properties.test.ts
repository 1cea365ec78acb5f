import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Books } from '../books.ts';
import type { LedgerEntry } from '../ledger-codec.ts';
import { Tally } from '../tally.ts';
import type { LedgerCommand } from './commands.ts';
import { forgetCalls } from './evolve.ts';
import { PLAN_IDS, PLANS } from './plans.ts';
import { DEADLINE_MS_MAX, OPEN_CALLS_MAX, type Payer, REFUSED_MAX, REMEMBERED_MS } from './state.ts';
import { TARIFF_NAMES } from './tariffs.ts';
import { type DayUsage, newDay } from './usage.ts';

const START = Date.UTC(2026, 0, 31);
const PAYERS: Payer[] = ['account:a', 'account:b', 'wallet:solana:w'];

type Step = { readonly waitMs: number; readonly payer: Payer; readonly command: LedgerCommand };

const anyCallId = fc.integer({ min: 0, max: 12 }).map((n) => `call-${n}`);
const anyCommand: fc.Arbitrary<LedgerCommand> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('ReserveCall' as const),
      callId: anyCallId,
      tariff: fc.constantFrom(...TARIFF_NAMES),
      keyId: fc.constantFrom(null, 'key'),
      deadlineUnixMs: fc.integer({ min: START - 1_000, max: START + 3 * DEADLINE_MS_MAX }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('PostCall' as const), callId: anyCallId }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('VoidCall' as const),
      callId: anyCallId,
      reason: fc.constantFrom('failed' as const, 'no_data' as const, 'unanswered' as const),
      deadlineUnixMs: fc.constantFrom(null, START + 2 * DEADLINE_MS_MAX),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('ChangePlan' as const),
      id: fc.integer({ min: 0, max: 3 }).map((n) => `plan-${n}`),
      plan: fc.constantFrom(...PLAN_IDS),
      cycle: fc.constantFrom('monthly' as const, 'yearly' as const),
      paidUntilUnixMs: fc.option(fc.integer({ min: START, max: START + 100 * 86_400_000 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('AddCredits' as const),
      id: fc.integer({ min: 0, max: 3 }).map((n) => `pack-${n}`),
      credits: fc.integer({ min: 1, max: 10 }),
    }),
  },
);
const anyCourse: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    waitMs: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 60_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * 86_400_000 }) },
    ),
    payer: fc.constantFrom(...PAYERS),
    command: anyCommand,
  }),
  { maxLength: 60 },
);
/** From some credits on: who has none is only ever refused. */
const anySteps: fc.Arbitrary<Step[]> = fc
  .tuple(fc.integer({ min: 1, max: 12 }), anyCourse)
  .map(([credits, steps]) => [
    ...PAYERS.map((payer) => ({
      waitMs: 0,
      payer,
      command: { type: 'AddCredits', id: 'start', credits } as const,
    })),
    ...steps,
  ]);

const run = (steps: readonly Step[], look: (books: Books) => void = () => {}) => {
  const books = new Books();
  const entries: LedgerEntry[] = [];
  let nowUnixMs = START;
  for (const { waitMs, payer, command } of steps) {
    nowUnixMs += waitMs;
    entries.push(...books.handle(payer, command, nowUnixMs));
    look(books);
  }
  return { books, entries, nowUnixMs };
};

test('whatever is sent when, no balance is ever negative or above what was granted, and never are more than three calls open', () => {
  fc.assert(
    fc.property(anySteps, (steps) => {
      run(steps, (books) => {
        for (const { analysesLeft, tracesLeft, packCredits, open, plan, cycle } of books.states.values()) {
          expect(Math.min(analysesLeft, tracesLeft, packCredits)).toBeGreaterThanOrEqual(0);
          expect(analysesLeft).toBeLessThanOrEqual(PLANS[plan].analyses[cycle]);
          expect(tracesLeft).toBeLessThanOrEqual(PLANS[plan].traces[cycle]);
          expect(open.size).toBeLessThanOrEqual(OPEN_CALLS_MAX);
        }
      });
    }),
    { numRuns: 300 },
  );
});

test('credits are conserved: the balance is what the amounts in the events add up to, and packs are taken once', () => {
  fc.assert(
    fc.property(anySteps, (steps) => {
      const { books, entries } = run(steps);
      for (const payer of PAYERS) {
        const { analysesLeft, tracesLeft, packCredits } = books.stateOf(payer);
        const tally = new Tally();
        for (const entry of entries) if (entry.payer === payer) tally.add(entry.event, entry.atUnixMs);
        expect(tally.problems).toEqual([]);
        expect(tally.left).toEqual({ analyses: analysesLeft, traces: tracesLeft, credits: packCredits });
      }
    }),
    { numRuns: 300 },
  );
});

test('replaying the events gives the same books', () => {
  fc.assert(
    fc.property(anySteps, (steps) => {
      const { books, entries, nowUnixMs } = run(steps);
      const replayed = new Books();
      for (const entry of entries) replayed.apply(entry);
      // A command that leaves no event has old calls forgotten all the same.
      for (const each of [books, replayed])
        for (const state of each.states.values()) forgetCalls(state, nowUnixMs);
      expect(replayed).toEqual(books);
    }),
    { numRuns: 300 },
  );
});

/** What counts in the end. When an overdue call is noticed depends on who comes by; that it is void does not. */
const outcome = (books: Books, nowUnixMs: number) =>
  PAYERS.map((payer) => {
    const days = [...(books.usages.get(payer)?.values() ?? [])];
    const total = (name: keyof DayUsage): number => days.reduce((sum, day) => sum + day[name], 0);
    const usage = (Object.keys(newDay()) as (keyof DayUsage)[]).map(total);
    return { balance: books.balance(payer, nowUnixMs), usage };
  });

/** Each step once, in its order, and copies of it at any time later. */
const withRetries = (steps: readonly Step[], copies: readonly { of: number; after: number }[]): Step[] => {
  const placed = steps.map((step, at) => ({ step, at }));
  for (const { of, after } of copies) {
    const step = steps[of % Math.max(1, steps.length)];
    if (step) placed.push({ step: { ...step, waitMs: 0 }, at: (of % steps.length) + 0.5 + after });
  }
  return placed.sort((a, b) => a.at - b.at).map(({ step }) => step);
};

test('commands that come again, in any order and however late, change nothing', () => {
  // One command an id, as clients make them: what comes again is the same command.
  const once = (steps: readonly Step[]): Step[] => {
    const seen = new Set<string>();
    return steps.filter(({ payer, command }) => {
      const id = `${payer} ${command.type} ${'callId' in command ? command.callId : command.id}`;
      return !seen.has(id) && seen.add(id);
    });
  };
  const anyCopies = fc.array(fc.record({ of: fc.nat(1_000), after: fc.nat(60) }), { maxLength: 40 });
  fc.assert(
    fc.property(anySteps, anyCopies, (steps, copies) => {
      const plain = once(steps);
      const settle = (all: readonly Step[]) => {
        const { books, nowUnixMs } = run(all);
        const end = nowUnixMs + DEADLINE_MS_MAX + REMEMBERED_MS;
        books.handleDue(end);
        return outcome(books, end);
      };
      expect(settle(withRetries(plain, copies))).toEqual(settle(plain));
    }),
    { numRuns: 500 },
  );
});

test('of however many refusals few are remembered, and still none of them is ever reserved when it comes again', () => {
  const anyFlood = fc.array(
    fc.record({
      aheadMs: fc.integer({ min: 1, max: DEADLINE_MS_MAX - 1 }),
      // It was not answered in time, and is taken back, before it was decided or after.
      isTakenBack: fc.constantFrom('never', 'before', 'after'),
    }),
    { minLength: REFUSED_MAX, maxLength: 3 * REFUSED_MAX },
  );
  fc.assert(
    fc.property(anyFlood, fc.array(fc.nat(1_000), { maxLength: 50 }), (flood, again) => {
      const books = new Books();
      const commands = flood.flatMap(({ aheadMs, isTakenBack }, i): LedgerCommand[] => {
        const call = { callId: `call-${i}`, deadlineUnixMs: START + aheadMs };
        const reserve = { ...call, type: 'ReserveCall', tariff: 'trace', keyId: null } as const;
        const takeBack = { ...call, type: 'VoidCall', reason: 'unanswered' } as const;
        if (isTakenBack === 'never') return [reserve];
        return isTakenBack === 'before' ? [takeBack, reserve] : [reserve, takeBack];
      });
      for (const command of commands) books.handle('account:a', command, START);
      const { refused, ended, open } = books.stateOf('account:a');
      expect(refused.size).toBeLessThanOrEqual(REFUSED_MAX);
      expect(ended.size + open.size).toBe(0);
      books.handle('account:a', { type: 'AddCredits', id: 'pack', credits: 1_000 }, START);
      for (const at of again) {
        const command = commands[at % commands.length];
        if (command?.type === 'ReserveCall') books.handle('account:a', command, START);
      }
      expect(open.size).toBe(0);
      const fresh = { type: 'ReserveCall', callId: 'fresh', tariff: 'trace', keyId: null } as const;
      books.handle('account:a', { ...fresh, deadlineUnixMs: START + DEADLINE_MS_MAX }, START);
      expect([...open.keys()]).toEqual(['fresh']);
    }),
    { numRuns: 100 },
  );
});

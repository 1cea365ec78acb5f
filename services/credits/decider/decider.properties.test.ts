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

const anyCallId = fc.integer({ min: 0, max: 5 }).map((n) => `call-${n}`);
/** Of the calls; `toCourse` says it in their commands. */
const deadlineUnixMs = 0;
const anyCommand: fc.Arbitrary<LedgerCommand> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('ReserveCall' as const),
      callId: anyCallId,
      tariff: fc.constantFrom(...TARIFF_NAMES),
      keyId: fc.constantFrom(null, 'key'),
      deadlineUnixMs: fc.constant(deadlineUnixMs),
    }),
  },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('PostCall' as const), callId: anyCallId }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('VoidCall' as const),
      callId: anyCallId,
      reason: fc.constantFrom('failed' as const, 'no_data' as const, 'unanswered' as const),
      deadlineUnixMs: fc.constant(deadlineUnixMs),
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

type Chosen = Step & { readonly aheadMs: number; readonly latest: number | null };

/**
 * Mostly as clients do it: posted and voided is one of the latest calls, and all commands of a call say the same deadline,
 * counted from when it is first heard of.
 */
const toCourse = (chosen: readonly Chosen[]): Step[] => {
  const deadlines = new Map<string, number>();
  const called = new Map<Payer, string[]>(PAYERS.map((payer) => [payer, []]));
  let nowUnixMs = START;
  return chosen.map(({ waitMs, aheadMs, latest, payer, command }) => {
    nowUnixMs += waitMs;
    if (!('callId' in command)) return { waitMs, payer, command };
    const isNew = command.type === 'ReserveCall' || latest === null;
    const callId = (isNew ? null : called.get(payer)?.at(-latest)) ?? command.callId;
    if (command.type === 'ReserveCall') called.get(payer)?.push(callId);
    if (command.type === 'PostCall') return { waitMs, payer, command: { ...command, callId } };
    const call = `${payer} ${callId}`;
    const deadlineUnixMs = deadlines.get(call) ?? nowUnixMs + aheadMs;
    deadlines.set(call, deadlineUnixMs);
    return { waitMs, payer, command: { ...command, callId, deadlineUnixMs } };
  });
};
const anyCourse: fc.Arbitrary<Step[]> = fc
  .array(
    fc.record({
      waitMs: fc.oneof(
        { weight: 20, arbitrary: fc.integer({ min: 0, max: 10_000 }) },
        { weight: 4, arbitrary: fc.integer({ min: 0, max: 300_000 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * 86_400_000 }) },
      ),
      aheadMs: fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: 1, max: DEADLINE_MS_MAX }) },
        { weight: 1, arbitrary: fc.integer({ min: -1_000, max: 0 }) },
      ),
      latest: fc.constantFrom(null, 1, 1, 1, 2, 2, 3),
      payer: fc.constantFrom(...PAYERS),
      command: anyCommand,
    }),
    { maxLength: 60, size: 'max' },
  )
  .map(toCourse);
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

const run = (
  steps: readonly Step[],
  look: (books: Books, nowUnixMs: number) => void = () => {},
  callsMax?: number,
) => {
  const books = new Books();
  const entries: LedgerEntry[] = [];
  let nowUnixMs = START;
  for (const { waitMs, payer, command } of steps) {
    nowUnixMs += waitMs;
    entries.push(...books.handle(payer, command, nowUnixMs, callsMax));
    look(books, nowUnixMs);
  }
  return { books, entries, nowUnixMs };
};

const expectConserved = (books: Books, entries: readonly LedgerEntry[]): void => {
  for (const payer of PAYERS) {
    const { analysesLeft, tracesLeft, packCredits } = books.stateOf(payer);
    const tally = new Tally();
    for (const entry of entries) if (entry.payer === payer) tally.add(entry.event, entry.atUnixMs);
    expect(tally.problems).toEqual([]);
    expect(tally.left).toEqual({ analyses: analysesLeft, traces: tracesLeft, credits: packCredits });
  }
};

test('the courses tried below hold every kind of event, and calls that were posted and then voided', () => {
  const entries = fc.sample(anySteps, 300).flatMap((steps) => run(steps).entries);
  const kindOf = ({ event }: LedgerEntry) =>
    event.type === 'CallVoided' && event.postedUnixMs !== null ? 'a post is voided' : event.type;
  const kinds = Map.groupBy(entries, kindOf);
  expect(kinds.size).toBe(8);
  for (const [kind, { length }] of kinds) expect(length, kind).toBeGreaterThan(10);
});

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
      expectConserved(books, entries);
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

test('wherever refusals are read among the other events, which lie in another topic, the books are the same', () => {
  /** Those of one topic stay in their order. */
  const mix = (entries: readonly LedgerEntry[], turns: readonly boolean[]): LedgerEntry[] => {
    const [refusals, others] = [true, false].map((isRefusal) =>
      entries.filter(({ event }) => (event.type === 'CallRefused') === isRefusal),
    ) as [LedgerEntry[], LedgerEntry[]];
    const mixed = turns.flatMap((isRefusal) => (isRefusal ? refusals : others).splice(0, 1));
    return [...mixed, ...refusals, ...others];
  };
  const anyTurns = fc.array(fc.boolean(), { maxLength: 120, size: 'max' });
  fc.assert(
    fc.property(anySteps, anyTurns, (steps, turns) => {
      const { books, entries, nowUnixMs } = run(steps);
      const read = new Books();
      for (const entry of mix(entries, turns)) read.apply(entry);
      for (const each of [books, read])
        for (const state of each.states.values()) forgetCalls(state, nowUnixMs);
      expect(read).toEqual(books);
    }),
    { numRuns: 500 },
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
  // As clients do it: one command an id, so that what comes again is the same, and a post after its reservation.
  const once = (steps: readonly Step[]): Step[] => {
    const seen = new Set<string>();
    return steps.filter(({ payer, command }) => {
      const id = 'callId' in command ? command.callId : command.id;
      if (command.type === 'PostCall' && !seen.has(`${payer} ReserveCall ${id}`)) return false;
      const name = `${payer} ${command.type} ${id}`;
      return !seen.has(name) && seen.add(name);
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

test('what is too old may be forgotten at any moment: everything decided afterwards is the same', () => {
  fc.assert(
    fc.property(anySteps, (steps) => {
      const { entries } = run(steps);
      expect(run(steps, (books, nowUnixMs) => books.forget(nowUnixMs)).entries).toEqual(entries);
    }),
    { numRuns: 300 },
  );
});

test('of all payers together no more calls are held than may be; credits are conserved, and what was refused stays refused', () => {
  const callsHeld = (books: Books): number =>
    [...books.states.values()].reduce((sum, { open, ended }) => sum + open.size + ended.size, 0);
  const refusedCalls = (entries: readonly LedgerEntry[]) =>
    new Set(entries.map(({ payer, event }) => event.type === 'CallRefused' && `${payer} ${event.callId}`));
  let fullRuns = 0;
  fc.assert(
    fc.property(anySteps, fc.integer({ min: 0, max: 8 }), (steps, callsMax) => {
      const look = (books: Books): void => {
        expect(books.calls).toBe(callsHeld(books));
        expect(books.calls).toBeLessThanOrEqual(callsMax);
      };
      const { books, entries, nowUnixMs } = run(steps, look, callsMax);
      expectConserved(books, entries);
      const isFull = ({ event }: LedgerEntry) =>
        event.type === 'CallRefused' && event.reason === 'memory_full';
      if (entries.some(isFull)) fullRuns += 1;
      const refused = refusedCalls(entries);
      // Now that there is room.
      const again = steps.flatMap(({ payer, command }) =>
        'callId' in command && refused.has(`${payer} ${command.callId}`)
          ? books.handle(payer, command, nowUnixMs)
          : [],
      );
      expect(again.filter(({ event }) => event.type === 'CallReserved')).toEqual([]);
    }),
    { numRuns: 300 },
  );
  expect(fullRuns).toBeGreaterThan(50);
});

test('where no more calls can be held there is room again as soon as old ones are forgotten', () => {
  const books = new Books();
  const send = (callId: string, atUnixMs: number) => {
    const deadlineUnixMs = atUnixMs + 1_000;
    const command = { type: 'ReserveCall', callId, tariff: 'follow', keyId: null, deadlineUnixMs } as const;
    books.handle('wallet:solana:w', command, atUnixMs, 2);
    return books.handle('wallet:solana:w', { type: 'PostCall', callId }, atUnixMs, 2).length === 1;
  };
  const late = START + 1_000 + REMEMBERED_MS;
  expect([send('a', START), send('b', START + 1), send('c', START + 2)]).toEqual([true, true, false]);
  expect(send('d', late - 1)).toBe(false);
  expect(send('e', late)).toBe(true);
});

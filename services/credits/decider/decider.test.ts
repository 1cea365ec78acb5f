import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Books } from '../books.ts';
import { findAnswer } from './answer.ts';
import { balanceAt } from './balance.ts';
import type { LedgerCommand } from './commands.ts';
import { decide, decideDue } from './decide.ts';
import type { LedgerEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { CYCLES, periodAt } from './period.ts';
import { initialState, type Payer, REFUSED_MAX, REMEMBERED_MS, VOIDS_MAX, VOIDS_WINDOW_MS } from './state.ts';

const START = Date.UTC(2026, 0, 31, 12);
const MINUTE = 60_000;
const DAY = 86_400_000;

/** One payer's books, told in commands. */
const open = (payer: Payer = 'account:a') => {
  const state = initialState(payer);
  let nowUnixMs = START;
  const write = (events: LedgerEvent[]): LedgerEvent[] => {
    for (const event of events) evolve(state, event, nowUnixMs);
    return events;
  };
  return {
    state,
    pass: (ms: number) => {
      nowUnixMs += ms;
    },
    due: () => write(decideDue(state, nowUnixMs)),
    send: (command: LedgerCommand) => {
      write(decideDue(state, nowUnixMs));
      write(decide(state, command, nowUnixMs));
      return findAnswer(state, command);
    },
    reserve: (callId: string, tariff: 'follow' | 'trace' | 'victims' = 'follow'): LedgerCommand => ({
      type: 'ReserveCall',
      callId,
      tariff,
      keyId: 'key',
      deadlineUnixMs: nowUnixMs + 2 * MINUTE,
    }),
    left: () => {
      const { analysesLeft, tracesLeft, packCredits } = balanceAt(state, nowUnixMs);
      return [analysesLeft, tracesLeft, packCredits];
    },
    balance: () => balanceAt(state, nowUnixMs),
  };
};

const FREE: LedgerCommand = {
  type: 'ChangePlan',
  id: 'plan',
  plan: 'free',
  cycle: 'monthly',
  paidUntilUnixMs: null,
};
const credits = (id: string, count: number): LedgerCommand => ({ type: 'AddCredits', id, credits: count });
const post = (callId: string): LedgerCommand => ({ type: 'PostCall', callId });
const voidCall = (callId: string): LedgerCommand => ({ type: 'VoidCall', callId, reason: 'failed' });

test('a plan pays first; pack credits pay a call that the plan cannot pay whole; then nothing does', () => {
  const { send, reserve, left } = open();
  send(FREE);
  send(credits('pack', 3));
  for (let call = 0; call < 25; call++) {
    send(reserve(`c${call}`));
    send(post(`c${call}`));
  }
  expect(left()).toEqual([0, 10, 3]);
  expect(send(reserve('pack'))).toEqual({ status: 'reserved' });
  send(post('pack'));
  expect(left()).toEqual([0, 10, 1]);
  expect(send(reserve('poor'))).toEqual({ status: 'refused', reason: 'insufficient_credits' });
  expect(send(reserve('trace', 'trace'))).toEqual({ status: 'reserved' });
  expect(left()).toEqual([0, 9, 1]);
});

test('a call is never paid by plan and pack together', () => {
  const { send, reserve, left } = open();
  send(FREE);
  send(credits('pack', 2));
  for (let call = 0; call < 16; call++) {
    send(reserve(`v${call}`, 'victims'));
    send(post(`v${call}`));
  }
  // Two analyses and two credits are left: four units, but neither pays three.
  expect(left()).toEqual([2, 10, 2]);
  expect(send(reserve('more', 'victims'))).toEqual({ status: 'refused', reason: 'insufficient_credits' });
});

test('a fourth call at once is refused, and admitted when one of the three has ended', () => {
  const { send, reserve } = open();
  send(credits('pack', 100));
  for (const id of ['1', '2', '3']) expect(send(reserve(id))).toEqual({ status: 'reserved' });
  expect(send(reserve('4'))).toEqual({ status: 'refused', reason: 'too_many_calls' });
  send(voidCall('2'));
  expect(send(reserve('5'))).toEqual({ status: 'reserved' });
});

test('a wallet pays for each call by itself: three at once, and no credits are asked for', () => {
  const { send, reserve, left } = open('wallet:solana:W');
  for (const id of ['1', '2', '3']) expect(send(reserve(id))).toEqual({ status: 'reserved' });
  expect(send(reserve('4'))).toEqual({ status: 'refused', reason: 'too_many_calls' });
  send(post('1'));
  expect(send(reserve('5'))).toEqual({ status: 'reserved' });
  expect(left()).toEqual([0, 0, 0]);
});

describe('calls that come to nothing', () => {
  const reserved = { status: 'reserved' };
  const heldBack = { status: 'refused', reason: 'too_many_unpaid_calls' };
  /** Sends such a call, and says what the ledger said. */
  const callInVain = ({ send, reserve }: ReturnType<typeof open>, callId: string) => {
    const answer = send(reserve(callId));
    send(voidCall(callId));
    return answer;
  };
  const callInVainTimes = (books: ReturnType<typeof open>, name: string, times: number) =>
    Array.from({ length: times }, (_, i) => callInVain(books, `${name} ${i}`));

  test('are as many as an account may have in five minutes: then nothing is reserved until these have passed', () => {
    const books = open();
    books.send(credits('pack', 6));
    expect(callInVainTimes(books, 'free', VOIDS_MAX)).toEqual(Array(VOIDS_MAX).fill(reserved));
    expect(callInVain(books, 'more')).toEqual(heldBack);
    expect(books.balance().heldBackUntilUnixMs).toBe(START + VOIDS_WINDOW_MS);
    books.pass(VOIDS_WINDOW_MS - 1);
    expect(callInVain(books, 'early')).toEqual(heldBack);
    books.pass(1);
    expect(books.balance().heldBackUntilUnixMs).toBeNull();
    expect(callInVain(books, 'late')).toEqual(reserved);
    expect(books.left()).toEqual([0, 0, 6]);
  });

  test('are as many more for each call that was paid for, but not for one that was posted and taken back', () => {
    const books = open();
    books.send(credits('pack', 6));
    books.send(books.reserve('paid'));
    books.send(post('paid'));
    books.send(books.reserve('taken back'));
    books.send(post('taken back'));
    books.send(voidCall('taken back'));
    expect(callInVainTimes(books, 'free', 2 * VOIDS_MAX - 1).at(-1)).toEqual(reserved);
    expect(callInVain(books, 'more')).toEqual(heldBack);
  });

  test('of a wallet are not for the ledger to count', () => {
    const books = open('wallet:solana:W');
    callInVainTimes(books, 'free', VOIDS_MAX);
    expect(callInVain(books, 'more')).toEqual(reserved);
  });
});

test('a reservation that nobody ends is void at its deadline, and a post that comes later changes nothing', () => {
  const { send, reserve, left, pass, due } = open();
  send(credits('pack', 2));
  send(reserve('late'));
  expect(left()).toEqual([0, 0, 0]);
  pass(2 * MINUTE - 1);
  expect(due()).toEqual([]);
  pass(1);
  expect(left()).toEqual([0, 0, 2]);
  expect(send(post('late'))).toEqual({ status: 'voided', reason: 'deadline' });
  expect(left()).toEqual([0, 0, 2]);
});

test.each([
  ['before', [voidCall('c'), post('c')]],
  ['after', [post('c'), voidCall('c')]],
])('a void wins when it comes %s the post: credits are back, and the call counts as void', (_, commands) => {
  const { send, reserve, left } = open();
  send(credits('pack', 2));
  send(reserve('c'));
  for (const command of commands) send(command);
  expect(left()).toEqual([0, 0, 2]);
  expect(send(post('c'))).toEqual({ status: 'voided', reason: 'failed' });
});

test('a call that was given up before it was reserved is never reserved', () => {
  const { send, reserve, left } = open();
  send(credits('pack', 2));
  const late = reserve('c');
  send(voidCall('c'));
  expect(send(late)).toEqual({ status: 'refused', reason: 'call_unknown' });
  expect(left()).toEqual([0, 0, 2]);
});

test('a command that comes again long after it was forgotten still changes nothing', () => {
  const { send, reserve, left, pass, state } = open();
  send(credits('pack', 4));
  const first = reserve('c');
  send(first);
  send(post('c'));
  pass(2 * MINUTE + REMEMBERED_MS);
  send(reserve('other'));
  expect(state.ended.has('c')).toBe(false);
  expect(send(first)).toEqual({ status: 'refused', reason: 'deadline_passed' });
  send(credits('pack', 4));
  expect(left()).toEqual([0, 0, 0]);
});

test('a void that comes long after its call was posted finds it forgotten, and harms nobody', () => {
  const books = new Books();
  const send = (command: LedgerCommand, atUnixMs: number) => {
    books.handle('account:a', command, atUnixMs);
    return findAnswer(books.stateOf('account:a'), command);
  };
  send(credits('pack', 4), START);
  const call = { callId: 'c', tariff: 'follow', keyId: 'key', deadlineUnixMs: START + MINUTE } as const;
  send({ type: 'ReserveCall', ...call }, START);
  send(post('c'), START);
  const late = START + MINUTE + REMEMBERED_MS;
  expect(send(voidCall('c'), late)).toEqual({ status: 'refused', reason: 'call_unknown' });
  expect(books.balance('account:a', late).packCredits).toBe(2);
});

test('a reservation for longer than ten minutes is refused, also when it comes again', () => {
  const { send, reserve, pass } = open();
  send(credits('pack', 4));
  const long = { ...reserve('c'), deadlineUnixMs: START + 10 * MINUTE + 1 };
  for (const ms of [0, 1, 5 * MINUTE]) {
    pass(ms);
    expect(send(long)).toEqual({ status: 'refused', reason: 'deadline_too_far' });
  }
});

test.each([
  ['posts of calls that are forgotten', (i: number) => [post(`old-${i}`)], 102],
  ['voids of calls that are forgotten', (i: number) => [voidCall(`old-${i}`)], 102],
  [
    'voids and reservations by a clock that is an hour ahead',
    (i: number, nowUnixMs: number): LedgerCommand[] => {
      const call = { callId: `ahead-${i}`, deadlineUnixMs: nowUnixMs + 62 * MINUTE } as const;
      return [
        { ...call, type: 'ReserveCall', tariff: 'follow', keyId: 'key' },
        { ...call, callId: `void-${i}`, type: 'VoidCall', reason: 'unanswered' },
      ];
    },
    102,
  ],
  [
    'one such post, and reservations that could not be paid',
    (i: number) => (i === 0 ? [post('old')] : []),
    1,
  ],
] as const)('who has nothing running is not refused for %s, however many were', (_, refusedAt, count) => {
  const { send, reserve, pass, state } = open();
  for (let i = 0; i < count; i++)
    for (const command of refusedAt(i, START)) expect(send(command)).toMatchObject({ status: 'refused' });
  for (let i = 0; i < REFUSED_MAX; i++)
    expect(send(reserve(`poor-${i}`))).toEqual({ status: 'refused', reason: 'insufficient_credits' });
  expect(state.refused.size).toBe(REFUSED_MAX);
  pass(1);
  send(credits('pack', 2));
  expect(send(reserve('new'))).toEqual({ status: 'reserved' });
});

test('a period renews itself on its day of the month, however long nobody came', () => {
  const { send, reserve, balance, pass } = open();
  send(FREE);
  send(reserve('c'));
  send(post('c'));
  expect(balance()).toMatchObject({ analysesLeft: 48, periodEndUnixMs: Date.UTC(2026, 1, 28, 12) });
  pass(28 * DAY);
  expect(balance()).toMatchObject({ analysesLeft: 50, periodEndUnixMs: Date.UTC(2026, 2, 31, 12) });
  pass(400 * DAY);
  send(reserve('d'));
  expect(balance()).toMatchObject({ analysesLeft: 48, periodEndUnixMs: Date.UTC(2027, 3, 30, 12) });
});

test('what an ended period granted does not come back into the next one', () => {
  const { send, reserve, left, pass } = open();
  send(FREE);
  pass(28 * DAY - MINUTE);
  send(reserve('over the end'));
  pass(MINUTE);
  send(voidCall('over the end'));
  expect(left()).toEqual([50, 10, 0]);
});

test('a plan ends when it is no longer paid for, pack credits stay; paid again in time it goes on', () => {
  const { send, left, pass, balance } = open();
  const paidUntil = (id: string, days: number): LedgerCommand => ({
    ...FREE,
    id,
    paidUntilUnixMs: START + days * DAY,
  });
  send(paidUntil('first', 10));
  send(credits('pack', 7));
  pass(9 * DAY);
  send(paidUntil('second', 20));
  pass(9 * DAY);
  expect(left()).toEqual([50, 10, 7]);
  pass(2 * DAY);
  expect(left()).toEqual([0, 0, 7]);
  expect(balance()).toMatchObject({ plan: 'none', periodEndUnixMs: null, paidUntilUnixMs: null });
});

test('who has no plan has paid for none, whatever day was named', () => {
  const { send, balance } = open();
  send({ ...FREE, plan: 'none', paidUntilUnixMs: START + DAY });
  expect(balance()).toMatchObject({ plan: 'none', paidUntilUnixMs: null });
});

test('periods follow each other without a gap, each from the day and time of the first one, or from the last day of a shorter month', () => {
  const anyMs = (fromYear: number, toYear: number) =>
    fc.integer({ min: Date.UTC(fromYear, 0, 1), max: Date.UTC(toYear, 0, 1) });
  fc.assert(
    fc.property(anyMs(2020, 2030), anyMs(2030, 2110), fc.constantFrom(...CYCLES), (anchor, now, cycle) => {
      const { startsUnixMs, endsUnixMs } = periodAt(anchor, cycle, now);
      expect(startsUnixMs <= now && now < endsUnixMs).toBe(true);
      expect(periodAt(anchor, cycle, endsUnixMs - 1)).toEqual({ startsUnixMs, endsUnixMs });
      expect(periodAt(anchor, cycle, endsUnixMs).startsUnixMs).toBe(endsUnixMs);
      const [first, starts] = [new Date(anchor), new Date(startsUnixMs)];
      const lastDay = new Date(Date.UTC(starts.getUTCFullYear(), starts.getUTCMonth() + 1, 0)).getUTCDate();
      expect(starts.getUTCDate()).toBe(Math.min(first.getUTCDate(), lastDay));
      expect((startsUnixMs - anchor) % DAY).toBe(0);
      if (cycle === 'yearly') expect(starts.getUTCMonth()).toBe(first.getUTCMonth());
    }),
    { numRuns: 2_000 },
  );
});

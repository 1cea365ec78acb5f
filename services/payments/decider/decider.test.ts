import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { claimOf } from '../../testing/x402/claim-of.ts';
import type { PaymentEvent, Wallet } from './events.ts';
import { evolve, forget } from './evolve.ts';
import {
  ANSWER_KEPT_MS,
  FAILURE_WINDOW_MS,
  findNamed,
  initialState,
  PAID_ANSWER_KEPT_MS,
  type PaymentStatus,
  RELEASE_WINDOW_MS,
  RELEASES_MAX,
} from './state.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const WALLET: Wallet = 'wallet:eip155:8453:0xaa';

const claim = (claimId: string, fields = {}) => claimOf(claimId, { atUnixMs: NOW, ...fields });
const done = (claimId: string, isFree = false): PaymentEvent => ({
  type: 'WorkDone',
  claimId,
  answer: '0:0',
  isFree,
});
const started = (claimId: string): PaymentEvent => ({ type: 'SettlementStarted', claimId });
const settled = (claimId: string): PaymentEvent => ({ type: 'PaymentSettled', claimId, transaction: '0xt' });
const unknown = (claimId: string): PaymentEvent => ({ type: 'PaymentUnknown', claimId });
const failed = (claimId: string, isFinal = false): PaymentEvent => ({
  type: 'PaymentFailed',
  claimId,
  reason: 'x',
  isFinal,
});
const released = (claimId: string): PaymentEvent => ({ type: 'PaymentReleased', claimId, reason: 'failed' });

const given = (claimId: string): PaymentEvent => ({ type: 'AnswerGiven', claimId });

/** A wallet's payments; what each event was answered with. */
const open = () => {
  const state = initialState();
  const write = (event: PaymentEvent, key = 'key', atUnixMs = NOW): string => {
    const verdict = evolve(state, { wallet: WALLET, key, atUnixMs, event });
    return verdict.counts ? 'counts' : verdict.refusal;
  };
  return { state, write, status: () => state.payments.get('key')?.status };
};

describe('a payment', () => {
  test('is claimed, worked for, settled, and then spent for every request', () => {
    const { write, status } = open();
    for (const event of [claim('a'), done('a'), started('a'), settled('a')])
      expect(write(event)).toBe('counts');
    expect(status()).toBe('settled');
    expect(write(claim('b'))).toBe('payment_already_used');
    expect(write(claim('b', { requestHash: 'other' }))).toBe('payment_already_used');
  });

  test('claimed twice belongs to the first, and nothing that the second writes counts', () => {
    const { write, status } = open();
    expect([write(claim('a')), write(claim('b'))]).toEqual(['counts', 'payment_already_used']);
    for (const event of [done('b'), started('b'), settled('b'), released('b')])
      expect(write(event)).toBe('out_of_turn');
    expect(status()).toBe('claimed');
  });

  test('given back unused is good for the same request and no other', () => {
    const { write } = open();
    write(claim('a'));
    write(released('a'));
    expect(write(claim('b', { requestHash: 'other' }))).toBe('payment_already_used');
    expect(write(claim('c'))).toBe('counts');
    expect(write(done('a'))).toBe('out_of_turn');
  });

  test('is never given back once its settlement has started, nor settled once it was given back', () => {
    const { write } = open();
    write(claim('a'));
    write(started('a'));
    expect(write(released('a'))).toBe('out_of_turn');
    const other = open();
    other.write(claim('a'));
    other.write(released('a'));
    expect(other.write(started('a'))).toBe('out_of_turn');
  });

  test('whose end was unknown is owed its answer, until it is given', () => {
    const { state, write } = open();
    for (const event of [claim('a'), done('a'), started('a'), unknown('a'), settled('a')]) write(event);
    expect(state.payments.get('key')).toMatchObject({ status: 'settled', handOver: 'owed', answer: '0:0' });
    expect([write(given('b')), write(given('a'))]).toEqual(['out_of_turn', 'counts']);
    expect(state.payments.get('key')).toMatchObject({ status: 'settled', handOver: 'given' });
    const other = open();
    for (const event of [claim('a'), done('a'), started('a'), settled('a')]) other.write(event);
    expect(other.state.payments.get('key')).toMatchObject({ handOver: 'under_way' });
  });

  test('that may be settled a second time has not failed by a word about the first, only by one of the chain', () => {
    const { write, status } = open();
    for (const event of [claim('a'), done('a'), started('a'), unknown('a')]) write(event);
    expect([write(failed('a')), status()]).toEqual(['out_of_turn', 'unknown']);
    expect([write(failed('a', true)), status()]).toEqual(['counts', 'failed']);
  });

  test('that has expired is not claimed', () => {
    expect(open().write(claim('a', { expiresUnixMs: NOW }))).toBe('payment_expired');
  });
});

describe('an id that the client chose', () => {
  const named = (claimId: string) => claim(claimId, { paymentId: 'id' });

  test('has one payment at a time, and none beside one that bought an answer while that is kept, a day', () => {
    const { write } = open();
    expect(write(named('a'), '1')).toBe('counts');
    expect(write(named('b'), '2')).toBe('id_in_use');
    for (const event of [done('a'), started('a'), settled('a')]) write(event, '1');
    expect(write(named('b'), '2')).toBe('id_in_use');
    const later = NOW + PAID_ANSWER_KEPT_MS;
    const fresh = claim('b', { paymentId: 'id', expiresUnixMs: later + 1 });
    expect(write(fresh, '2', later - 1)).toBe('id_in_use');
    expect(write(fresh, '2', later)).toBe('counts');
  });

  test('is free again where its payment failed or was given back', () => {
    const { write } = open();
    for (const event of [named('a'), released('a')]) write(event, '1');
    for (const event of [named('b'), started('b'), failed('b')]) expect(write(event, '2')).toBe('counts');
    expect(write(named('c'), '3')).toBe('counts');
  });
});

describe('what was worked out and not paid for', () => {
  test('is kept for the request until it is paid for, also where the work ended after its settlement had failed', () => {
    const { state, write } = open();
    for (const event of [claim('a'), started('a'), failed('a')]) write(event);
    expect(state.unpaid.size).toBe(0);
    write(done('a'));
    expect(state.unpaid.get('request')).toEqual({ answer: '0:0', untilUnixMs: NOW + ANSWER_KEPT_MS });
    for (const event of [claim('b'), done('b'), started('b'), settled('b')]) write(event, 'another');
    expect(state.unpaid.size).toBe(0);
  });

  test.each([
    ['before its settlement failed', [done('a', true), failed('a', true)]],
    ['after that', [failed('a', true), done('a', true)]],
  ])('is not kept where it costs nothing: worked out %s it is sold to nobody', (_, ends) => {
    const { state, write } = open();
    for (const event of [claim('a'), started('a'), unknown('a'), ...ends])
      expect(write(event)).toBe('counts');
    expect(state.unpaid.size).toBe(0);
  });

  test('three times in a quarter of an hour is the last time for as long', () => {
    const { write } = open();
    for (const key of ['1', '2', '3'])
      for (const event of [claim('a'), started('a'), failed('a')]) write(event, key);
    expect(write(claim('a'), '4')).toBe('too_many_failed_settlements');
    const later = NOW + FAILURE_WINDOW_MS;
    expect(write(claim('a', { expiresUnixMs: later + 1 }), '4', later)).toBe('counts');
  });

  test('and then a payment that settles clears the slate', () => {
    const { write } = open();
    for (const key of ['1', '2'])
      for (const event of [claim('a'), started('a'), failed('a')]) write(event, key);
    for (const event of [claim('a'), done('a'), started('a'), settled('a')]) write(event, '3');
    for (const event of [claim('a'), started('a'), failed('a')]) write(event, '4');
    expect(write(claim('a'), '5')).toBe('counts');
  });
});

describe('a payment that was given back', () => {
  const giveBack = ({ write }: ReturnType<typeof open>, times: number): void => {
    for (let i = 0; i < times; i += 1)
      for (const event of [claim('a', { signed: 'x' }), released('a')]) write(event, `key ${i}`);
  };

  test('is one of sixty in a quarter of an hour at most, until the wallet pays for a call', () => {
    const book = open();
    giveBack(book, RELEASES_MAX);
    expect(book.write(claim('b'))).toBe('too_many_unpaid_calls');
    const later = NOW + RELEASE_WINDOW_MS;
    expect(book.write(claim('b', { expiresUnixMs: later + 1 }), 'key', later)).toBe('counts');
    const paying = open();
    giveBack(paying, RELEASES_MAX - 1);
    for (const event of [claim('b'), done('b'), started('b'), settled('b')]) paying.write(event);
    giveBack(paying, 1);
    expect(paying.write(claim('c'), 'next')).toBe('counts');
  });

  test('leaves nothing of what its client signed in memory', () => {
    const book = open();
    giveBack(book, 1);
    expect(book.state.payments.get('key 0')?.claim.signed).toBe('');
  });
});

test('what is forgotten could not be used again: it has expired, with an hour for clocks apart', () => {
  const { state, write } = open();
  for (const event of [claim('a'), done('a'), started('a'), settled('a'), given('a')]) write(event);
  for (const event of [claim('c', { paymentId: 'id' }), started('c'), failed('c')]) write(event, 'failed');
  for (const event of [claim('b'), released('b')]) write(event, 'free');
  write(claim('b'), 'open');
  forget(state, NOW + ANSWER_KEPT_MS + 3_600_000);
  expect([...state.payments.keys()]).toEqual(['open']);
  expect([state.byPaymentId.size, state.releases.size]).toEqual([0, 0]);
});

test('of payments for credits only those that were settled are known for good: they may have to be given yet', () => {
  const { state, write } = open();
  const grant = { accountId: 'a', credits: 1 };
  for (const event of [claim('a', { grant }), started('a'), failed('a')]) write(event, 'failed');
  for (const event of [claim('a', { grant }), released('a')]) write(event, 'released');
  for (const event of [claim('a', { grant }), started('a'), settled('a')]) write(event, 'settled');
  for (const event of [claim('a', { grant }), started('a'), unknown('a')]) write(event, 'unknown');
  forget(state, NOW + 365 * 86_400_000);
  expect([...state.payments.keys()]).toEqual(['settled', 'unknown']);
});

test.each([
  ['under the id that its client chose', { paymentId: 'id' }, [settled('a'), given('a')]],
  ['by the payment that is owed it', {}, [unknown('a'), settled('a')]],
])(
  'what was paid for is known as long as its answer may be fetched %s: a day, and an hour for clocks apart',
  (_, fields, ends) => {
    const { state, write } = open();
    for (const event of [claim('a', fields), done('a'), started('a'), ...ends]) write(event);
    const late = NOW + PAID_ANSWER_KEPT_MS + 3_600_000;
    forget(state, late - 1);
    expect([...state.payments.keys()]).toEqual(['key']);
    forget(state, late);
    expect([state.payments.size, state.byPaymentId.size]).toEqual([0, 0]);
  },
);

test('an id that the client chose stays with its last payment when an older one is forgotten', () => {
  const { state, write } = open();
  for (const event of [claim('a', { paymentId: 'id' }), released('a')]) write(event, 'older');
  const later = NOW + ANSWER_KEPT_MS + 3_600_000;
  write(claim('b', { paymentId: 'id', expiresUnixMs: later + 1 }), 'newer', later);
  forget(state, later);
  expect([...state.payments.keys()]).toEqual(['newer']);
  expect(findNamed(state, WALLET, 'id', later)).toMatchObject({ key: 'newer' });
});

test('an id stands for a payment no longer than the payment comes under it: given back and sent again under another, it leaves none behind', () => {
  const { state, write } = open();
  for (const paymentId of ['first', 'second'])
    for (const event of [claim(paymentId, { paymentId }), released(paymentId)]) write(event);
  write(claim('third', { paymentId: 'third' }));
  const named = ['first', 'second', 'third'].map((id) => findNamed(state, WALLET, id, NOW)?.key);
  expect(named).toEqual([undefined, undefined, 'key']);
  write(released('third'));
  forget(state, NOW + ANSWER_KEPT_MS + 3_600_000);
  expect([state.payments.size, state.byPaymentId.size]).toEqual([0, 0]);
});

const anyEvent = fc
  .record({ claimId: fc.constantFrom('a', 'b', 'c'), request: fc.constantFrom('r', 's'), kind: fc.nat(8) })
  .map(({ claimId, request, kind }) => {
    const make = [
      () => claim(claimId, { requestHash: request }),
      done,
      started,
      settled,
      unknown,
      failed,
      () => failed(claimId, true),
      released,
      given,
    ];
    return (make[kind] ?? done)(claimId);
  });

test('whatever processes write in whatever order, a payment settles once, for one request, and ends where it ended', () => {
  const ends: readonly (PaymentStatus | undefined)[] = ['settled', 'failed'];
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
      const { state, write, status } = open();
      const granted: string[] = [];
      const requests = new Set<string>();
      for (const event of events) {
        const before = status();
        const counted = write(event) === 'counts';
        if (counted && event.type === 'PaymentSettled') granted.push(event.claimId);
        if (counted && event.type === 'PaymentClaimed') requests.add(event.requestHash);
        if (ends.includes(before)) expect(status()).toBe(before);
        if (before === 'settling' || before === 'unknown') expect(status()).not.toBe('released');
      }
      expect(granted.length).toBeLessThanOrEqual(1);
      expect(requests.size).toBeLessThanOrEqual(1);
      // The same events in the same order, read by another process.
      const again = open();
      for (const event of events) again.write(event);
      expect(again.state).toEqual(state);
    }),
    { numRuns: 500 },
  );
});

/** Over hours: payments, some of them authorised anew with a nonce of before. */
const anyHistory = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.nat(60_000), fc.nat(3 * HOUR_MS), fc.nat(30 * HOUR_MS)),
    key: fc.constantFrom('1', '2'),
    happens: fc.constantFrom(null, null, done, started, settled, unknown, failed, released, given),
    requestHash: fc.constantFrom('r', 's'),
    paymentId: fc.constantFrom(null, 'id'),
    /** The clock of a process that forgets now; null where none does. */
    aheadMs: fc.option(fc.nat(HOUR_MS)),
  }),
  { maxLength: 60, size: 'max' },
);

test('what a process has forgotten changes no verdict: one that remembers it comes to the same of every claim', () => {
  fc.assert(
    fc.property(anyHistory, (steps) => {
      const [whole, forgetful] = [open(), open()];
      let atUnixMs = NOW;
      for (const [i, { waitMs, key, happens, aheadMs, ...fields }] of steps.entries()) {
        atUnixMs += waitMs;
        if (aheadMs !== null) forget(forgetful.state, atUnixMs + aheadMs);
        const claimId = whole.state.payments.get(key)?.claim.claimId ?? '';
        const event = happens?.(claimId) ?? claimOf(`${i}`, { atUnixMs, ...fields });
        const verdicts = [whole, forgetful].map(({ write }) => write(event, key, atUnixMs));
        if (happens === null) expect(verdicts[1]).toBe(verdicts[0]);
      }
    }),
    { numRuns: 500 },
  );
});

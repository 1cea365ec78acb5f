import { expect, test } from 'vitest';
import { BoundCalls, type IdempotencyEvent } from './bound-calls.ts';

const DAY_MS = 86_400_000;
const bind = (callId: string, deadlineUnixMs = 1_000): IdempotencyEvent => ({
  type: 'CallBound',
  callId,
  requestHash: 'request',
  deadlineUnixMs,
});
const answer = (callId: string): IdempotencyEvent => ({ type: 'CallAnswered', callId, answer: '0:1' });
const release = (callId: string): IdempotencyEvent => ({ type: 'CallReleased', callId });

test('of two calls bound to an id the first counts, and only it may answer or release it', () => {
  const calls = new BoundCalls();
  const counts = [bind('a'), bind('b'), answer('b'), release('b'), answer('a')].map((event) =>
    calls.apply('id', event, 0),
  );
  expect(counts).toEqual([true, false, false, false, true]);
  expect(calls.find('id', 0)).toMatchObject({ callId: 'a', answer: '0:1' });
  expect(calls.find('other', 0)).toBeNull();
});

test('a call that was released makes room for the next one', () => {
  const calls = new BoundCalls();
  calls.apply('id', bind('a'), 0);
  expect(calls.apply('id', release('a'), 0)).toBe(true);
  expect(calls.find('id', 0)).toBeNull();
  expect(calls.apply('id', bind('b'), 0)).toBe(true);
});

test('of an answer given away and its call withdrawn the first counts for good, and what was given is never released', () => {
  const [given, withdrawn] = ['AnswerGiven', 'CallWithdrawn'].map((type) => ({ type, callId: 'a' })) as [
    IdempotencyEvent,
    IdempotencyEvent,
  ];
  const tell = (...events: IdempotencyEvent[]) => {
    const calls = new BoundCalls();
    const kept = [bind('a'), answer('a')];
    return [...kept, ...events].map((event) => calls.apply('id', event, 0)).slice(kept.length);
  };
  expect(tell(given, withdrawn, given, release('a'))).toEqual([true, false, true, false]);
  expect(tell(withdrawn, given, withdrawn, release('a'))).toEqual([true, false, true, true]);
  expect(tell(release('a'), given)).toEqual([true, false]);
});

test('a call without an answer holds its id until its deadline, and cannot answer once another has taken it', () => {
  const calls = new BoundCalls();
  calls.apply('id', bind('a', 1_000), 0);
  expect(calls.apply('id', bind('b', 2_000), 999)).toBe(false);
  expect(calls.find('id', 1_000)).toBeNull();
  expect(calls.apply('id', bind('b', 2_000), 1_000)).toBe(true);
  expect(calls.apply('id', answer('a'), 1_001)).toBe(false);
  expect(calls.find('id', 1_001)?.callId).toBe('b');
});

test('an answer holds its id for a day from its call, and then is forgotten', () => {
  const calls = new BoundCalls();
  calls.apply('id', bind('a'), 0);
  calls.apply('id', answer('a'), 500);
  expect(calls.find('id', DAY_MS - 1)).not.toBeNull();
  expect(calls.apply('id', bind('b'), DAY_MS - 1)).toBe(false);
  expect(calls.find('id', DAY_MS)).toBeNull();
  expect(calls.apply('id', bind('b'), DAY_MS)).toBe(true);
});

test('an id is free for another call when it is found free, also behind a call that a clock ahead has bound before', () => {
  const calls = new BoundCalls();
  calls.apply('ahead', bind('a'), 60_000);
  calls.apply('id', bind('a'), 0);
  calls.apply('id', answer('a'), 500);
  expect(calls.find('id', DAY_MS)).toBeNull();
  expect(calls.apply('id', bind('b'), DAY_MS)).toBe(true);
});

test('of more calls than there is room for the oldest are forgotten', () => {
  const calls = new BoundCalls();
  for (let i = 0; i <= 100_000; i++) calls.apply(`${i}`, bind('a', 10), 0);
  expect([calls.find('0', 0), calls.find('100000', 0)?.callId]).toEqual([null, 'a']);
});

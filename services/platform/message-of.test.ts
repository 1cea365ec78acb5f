import { expect, test } from 'vitest';
import { messageOf } from './message-of.ts';

test('an error that gathers others and says nothing itself says what they say, as of a name with several addresses', () => {
  const each = ['connect ECONNREFUSED ::1:1', 'connect ECONNREFUSED 127.0.0.1:1'].map(
    (text) => new Error(text),
  );
  expect(messageOf(new AggregateError(each))).toBe(each.map(({ message }) => message).join(', '));
  expect(messageOf(new AggregateError(each, 'neither answers'))).toBe('neither answers');
  expect(messageOf(each[0])).toBe('connect ECONNREFUSED ::1:1');
  expect(messageOf('thrown as text')).toBe('thrown as text');
});

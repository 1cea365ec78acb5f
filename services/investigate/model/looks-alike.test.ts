import { expect, test } from 'vitest';
import { looksAlike, looksOf } from './looks-alike.ts';

const of = (front: string, behind: string, filler: string): string =>
  `0x${front}${filler.repeat(40 - front.length - behind.length)}${behind}`;

test.each([
  ['abc', '1234', true],
  ['abcd', '234', true],
  ['abc', '234', false],
  ['ab', '51234', false],
  ['abcd4', '34', false],
])('equal in front: %s, behind: %s → alike: %s', (front, behind, alike) => {
  const [one, other] = [of(front, behind, '0'), of(front, behind, '9')];
  expect(looksAlike(one, other)).toBe(alike);
  expect(looksOf(one).some((look) => looksOf(other).includes(look))).toBe(alike);
});

test('nobody looks like himself', () => {
  expect(looksAlike(of('abc', '1234', '0'), of('abc', '1234', '0'))).toBe(false);
});

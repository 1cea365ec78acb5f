import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findDuplicateKey } from './find-duplicate-key.ts';
import { parseJson, showKey } from './parse-json.ts';

test('whatever JSON a program writes is read as it stands', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJson(new TextEncoder().encode(text))).toEqual(JSON.parse(text));
    }),
  );
});

test('a key written twice into any object is found, wherever the object lies', () => {
  fc.assert(
    fc.property(fc.string(), fc.json(), fc.json(), fc.jsonValue(), (key, first, second, around) => {
      const name = JSON.stringify(key);
      const twice = `[${JSON.stringify(around)},{"x${key.length}":[{${name}:${first},${name}:${second}}]}]`;
      expect(findDuplicateKey(twice)).toBe(key);
    }),
  );
});

test.each([
  '"a"',
  '{"a":"a","b":["a","a",{"a":1}]}',
  '{"a":{"a":{"a":1}}}',
  '{"{":"}","}":"{"}',
  '[{"a":1},{"a":1}]',
])('%s names no key twice', (text) => {
  expect(findDuplicateKey(text)).toBeNull();
});

test('a body of so many values that reading it would keep others waiting is refused', () => {
  const listOf = (count: number) => new TextEncoder().encode(`[${Array(count).fill('{}').join(',')}]`);
  expect(parseJson(listOf(100_000))).toHaveLength(100_000);
  expect(() => parseJson(listOf(200_000))).toThrow('more than 250000 values');
});

test('a key is shown short and in whole characters', () => {
  expect(showKey('x'.repeat(1_000))).toHaveLength(65);
  expect(showKey('\ud800').isWellFormed()).toBe(true);
});

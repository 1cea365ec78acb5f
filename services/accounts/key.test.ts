import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKey, hashKey, isSameHash, isWellFormedKey, prefixOf } from './key.ts';

test('a new key has the published form, its own checksum, and at least 160 random bits', () => {
  const keys = Array.from({ length: 500 }, createKey);
  for (const key of keys) {
    expect(key).toMatch(/^spoor_live_[0-9A-Za-z]{34}$/);
    expect(isWellFormedKey(key)).toBe(true);
  }
  expect(new Set(keys).size).toBe(keys.length);
  expect(28 * Math.log2(62)).toBeGreaterThan(160);
  // Every character occurs, about equally often: 14,000 draws of 62.
  const counts = Map.groupBy(
    keys.flatMap((key) => [...key.slice(11, -6)]),
    (character) => character,
  );
  expect(counts.size).toBe(62);
  for (const drawn of counts.values()) expect(Math.abs(drawn.length - 14_000 / 62)).toBeLessThan(90);
});

test('the checksum is the CRC32 of everything before it, in base62', () => {
  // 1,892,088,663 by another implementation (Python's zlib.crc32).
  const body = `spoor_live_${'0'.repeat(28)}`;
  expect(isWellFormedKey(`${body}2430h5`)).toBe(true);
});

test('any one wrong character is told without asking anybody', () => {
  const key = createKey();
  fc.assert(
    fc.property(fc.nat(key.length - 1), fc.constantFrom(...'0Az_'), (at, character) => {
      const typed = key.slice(0, at) + character + key.slice(at + 1);
      expect(isWellFormedKey(typed)).toBe(typed === key);
    }),
  );
  for (const text of ['', 'spoor_live_', key.slice(0, -1), `${key}0`, `${key}\n`, ` ${key}`])
    expect(isWellFormedKey(text)).toBe(false);
});

test('what is shown and kept of a key does not give it away', () => {
  const key = createKey();
  expect(prefixOf(key)).toBe(key.slice(0, 17));
  expect(hashKey(key)).toHaveLength(32);
  expect(isSameHash(hashKey(key), hashKey(key))).toBe(true);
  expect(isSameHash(hashKey(key), hashKey(createKey()))).toBe(false);
});

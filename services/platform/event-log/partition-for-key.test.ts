import { expect, test } from 'vitest';
import { murmur2, partitionForKey } from './partition-for-key.ts';

// The vectors of Kafka's own UtilsTest.testMurmur2.
test.each([
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
])('murmur2 of %s is what Kafka computes', (key, hash) => {
  expect(murmur2(Buffer.from(key))).toBe(hash);
});

test('a key with a negative hash gets the partition that Kafka gives it', () => {
  expect(partitionForKey('21', 1000)).toBe((-973932308 & 0x7fffffff) % 1000);
  expect(partitionForKey('abc', 7)).toBe(479470107 % 7);
});

test('a key that is not ASCII is hashed by its UTF-8 bytes', () => {
  expect(partitionForKey('μ-Ω', 1_000_003)).toBe(
    (murmur2(Uint8Array.from([0xce, 0xbc, 0x2d, 0xce, 0xa9])) & 0x7fffffff) % 1_000_003,
  );
});

test('a view into a larger buffer is hashed by its own bytes', () => {
  const whole = Buffer.from('xxabcxx');
  expect(murmur2(whole.subarray(2, 5))).toBe(479470107);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRaw, formatShare, formatSpan, formatUsd, showName } from './format.ts';

test('an exact amount reads back as the same raw amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), fc.integer({ min: 0, max: 30 }), (raw, decimals) => {
      const [whole = '', fraction = ''] = formatRaw(raw, decimals).replaceAll(',', '').split('.');
      expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(raw);
    }),
  );
  expect([
    formatRaw(1_234_567_891n, 3),
    formatRaw(5n, 9),
    formatRaw(-1_500n, 3),
    formatRaw(7n, null),
  ]).toEqual(['1,234,567.891', '0.000000005', '-1.5', '7 raw']);
});

test('an unknown worth is not zero dollars', () => {
  expect([null, 0, 99.994, -222.62, 1_234.5].map(formatUsd)).toEqual([
    'no price',
    '$0.00',
    '$99.99',
    '-$223',
    '$1,235',
  ]);
});

test('a share is only rounded to the whole where it is the whole', () => {
  expect([0, 1, 0.5, 0.9985, 0.0004, 0.125].map(formatShare)).toEqual([
    '0 %',
    '100 %',
    '50 %',
    '99.9 %',
    '0.04 %',
    '12.5 %',
  ]);
});

test('a name that turns or hides text is written out and cut', () => {
  expect(showName('USDC\u202Etxt\u200B')).toBe('USDC⟨U+202E⟩txt⟨U+200B⟩');
  expect([...showName('x'.repeat(500))]).toHaveLength(49);
});

test('a span is told in the largest unit of which there are two', () => {
  expect([5, 119, 120, 7_199, 7_200, 38_271_831].map(formatSpan)).toEqual([
    '5 seconds',
    '119 seconds',
    '2 minutes',
    '119 minutes',
    '2 hours',
    '442 days',
  ]);
});

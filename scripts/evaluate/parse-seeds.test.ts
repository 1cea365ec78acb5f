import { expect, test } from 'vitest';
import { parseSeeds } from './parse-seeds.ts';

test('a range of seeds is every seed of it', () => {
  expect(parseSeeds('101..104')).toEqual([101, 102, 103, 104]);
  expect(parseSeeds('7')).toEqual([7]);
});

test.each(['x', '', '104..101', '1..x', '1.5', '-3..2'])(
  '%j is refused rather than fitted on nothing',
  (text) => {
    expect(() => parseSeeds(text)).toThrow('--seeds');
  },
);

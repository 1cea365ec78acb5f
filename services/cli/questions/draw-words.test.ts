import { expect, test } from 'vitest';
import { countOf } from '../../investigate/model/count-of.ts';
import { drawNext } from './draw-next.ts';
import { drawDollars, drawExact } from './draw-words.ts';

test('dollars bear their sign before them, and a loss below half a cent bears none', () => {
  expect([-222.62, 222.621, -0.001, 0, null].map(drawDollars)).toEqual([
    ...['-$222.62', '$222.62', '$0.00', '$0.00', 'worth unknown'],
  ]);
});

test('amounts are exact, of whatever size', () => {
  const ether = { symbol: 'ETH', decimals: 18 };
  expect(drawExact('12345000000000000000001', ether)).toBe('12,345.000000000000000001 ETH');
  expect(drawExact('1', ether)).toBe('0.000000000000000001 ETH');
  expect(drawExact('1234', { symbol: null, decimals: null })).toBe('1,234 units');
});

test('one is said in the singular', () => {
  expect([0, 1, 2, 1_024].map((count) => countOf(count, 'victim'))).toEqual([
    ...['0 victims', '1 victim', '2 victims', '1,024 victims'],
  ]);
  expect([1, 2].map((count) => countOf(count, 'address', 'addresses'))).toEqual(['1 address', '2 addresses']);
});

test('a call becomes a command line that a shell takes as it is', () => {
  const body = { chain: 'base', address: '0xab', asset: 'native', since: 9, amount: 1e-7, backward: true };
  expect(drawNext({ path: '/follow', body }, '--local')).toBe(
    'npx spoor follow 0xab --chain base --asset native --since 9 --amount 0.0000001 --backward --local',
  );
  const foreign = { address: "0xab'; rm -rf $HOME" };
  expect(drawNext({ path: '/follow', body: foreign }, '')).toBe("npx spoor follow '0xab; rm -rf $HOME'");
});

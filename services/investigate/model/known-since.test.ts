import { expect, test } from 'vitest';
import type { HistoryKind, ListedWindow } from './history.ts';
import { knownSince, type SinceQuestion } from './known-since.ts';

const READ_AT = 1_700_000_100;

const window = (
  kinds: readonly HistoryKind[],
  [first, last]: readonly [number, number],
  fields: Partial<ListedWindow> = {},
): ListedWindow => ({
  ...{ chain: 'ethereum', address: 'a', kinds, asset: null, first, last, lastUnixSeconds: null },
  ...{ source: 'evm-node', proof: 'proved', reason: null, transactions: 0, readAtUnixSeconds: READ_AT },
  ...fields,
});
const HEAD_AT = 1_700_000_000;
const atHead = { lastUnixSeconds: HEAD_AT };
const out = (fields: Partial<SinceQuestion> = {}): SinceQuestion => ({
  ...{ first: 100, asset: 'token', side: 'out' },
  ...fields,
});

test('windows that touch are one, and an empty one counts as any other', () => {
  const windows = [
    window(['tokens_out'], [50, 150]),
    window(['tokens_out'], [151, 200], { transactions: 0 }),
  ];
  expect(knownSince(windows, out())).toEqual({ last: 200, newestAtUnixSeconds: null });
});

test('a hole ends what is known, and nothing is known of a block within it', () => {
  const windows = [window(['tokens_out'], [50, 150]), window(['tokens_out'], [160, 200], atHead)];
  expect(knownSince(windows, out())).toEqual({ last: 150, newestAtUnixSeconds: null });
  expect(knownSince(windows, out({ first: 155 }))).toBeNull();
  expect(knownSince(windows, out({ first: 160 }))).toEqual({ last: 200, newestAtUnixSeconds: HEAD_AT });
});

test('what leaves in coin needs what was sent, proved, and the events of the wrapped coin', () => {
  const tokens = window(['tokens_out'], [1, 300], { proof: 'listed', ...atHead });
  const question = out({ asset: 'native' });
  expect(knownSince([tokens], question)).toBeNull();
  expect(knownSince([tokens, window(['sent'], [1, 300], { proof: 'listed' })], question)).toBeNull();
  const sent = window(['sent'], [1, 250]);
  expect(knownSince([tokens, sent], question)).toEqual({ last: 250, newestAtUnixSeconds: null });
});

test('a partial window says nothing, nor does one of another asset', () => {
  const partial = window(['tokens_out'], [1, 300], { proof: 'partial', reason: 'pruned' });
  expect(knownSince([partial], out())).toBeNull();
  expect(knownSince([window(['tokens_out'], [1, 300], { asset: 'other' })], out())).toBeNull();
  expect(knownSince([window(['tokens_out'], [1, 300], { asset: 'token' })], out())).not.toBeNull();
  expect(knownSince([window(['tokens_out'], [1, 300], { asset: 'token' })], out({ asset: null }))).toBeNull();
});

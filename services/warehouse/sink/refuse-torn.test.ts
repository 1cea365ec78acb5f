import { expect, test } from 'vitest';
import type { PlannedRecord } from './plan-batch.ts';
import { refuseTorn } from './refuse-torn.ts';

const part = (offset: number, block: number, at = 0, of = 1): PlannedRecord => ({
  offset,
  sequence: offset,
  head: { chain: 'base', blockNumber: block, blockHash: `hash${block}`, part: at, parts: of },
});
const broken = (offset: number): PlannedRecord => ({ offset, refused: 'torn off' });
const refusedIn = (records: readonly PlannedRecord[]): number[] =>
  refuseTorn(records).flatMap(({ offset, refused }) => (refused === undefined ? [] : [offset]));

test('whole blocks are left as they are, also when two of them came at the same time', () => {
  const records = [part(0, 1), part(1, 2, 0, 2), part(2, 3, 0, 2), part(3, 2, 1, 2), part(4, 3, 1, 2)];
  expect(refuseTorn(records)).toBe(records);
});

test.each([
  ['first', [broken(0), part(1, 1, 1, 3), part(2, 1, 2, 3)]],
  ['middle', [part(0, 1, 0, 3), broken(1), part(2, 1, 2, 3)]],
  ['last', [part(0, 1, 0, 3), part(1, 1, 1, 3), broken(2)]],
])('a block whose %s part is broken is refused as a whole, and its neighbours are not', (_, torn) => {
  expect(refusedIn([...torn, part(3, 2), part(4, 3, 0, 2), part(5, 3, 1, 2)])).toEqual([0, 1, 2]);
});

test('a part that is missing refuses the others', () => {
  expect(refusedIn([part(0, 1, 0, 3), part(1, 1, 2, 3), part(2, 2)])).toEqual([0, 1]);
});

test('a broken record between blocks harms none of them', () => {
  expect(refusedIn([part(0, 1), broken(1), part(2, 2, 0, 2), part(3, 2, 1, 2)])).toEqual([1]);
});

test('a block that goes on behind the end is not judged yet', () => {
  expect(refusedIn([part(0, 1), part(1, 2, 0, 3), part(2, 2, 1, 3)])).toEqual([]);
});

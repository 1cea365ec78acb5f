import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Case, type CaseEvent, evolve, type Piece } from './case.ts';
import { decide, LIMITS } from './decide.ts';

const piece = (offset: number): Piece => ({ partition: 0, offset, textBytes: 10, recordBytes: 10 });
const entry = (event: CaseEvent, owner = 'account:a') => ({ caseId: 'c', owner, atUnixMs: 1, event });
const made = evolve(null, entry({ type: 'CaseMade', name: 'n', first: piece(0) })) as Case;
const OWNED = { cases: 1, writtenBytes: 0 };

type Way = 'take' | 'undo' | 'redo';
type Model = { readonly done: readonly number[]; readonly undone: readonly number[] };

/** What an editor would do. */
const model = ({ done, undone }: Model, way: Way, offset: number): Model => {
  if (way === 'take') return { done: [...done, offset], undone: [] };
  const [from, to] = way === 'undo' ? [done, undone] : [undone, done];
  const moved = from.at(-1);
  if (moved === undefined || (way === 'undo' && done.length === 1)) return { done, undone };
  const [less, more] = [from.slice(0, -1), [...to, moved]];
  return way === 'undo' ? { done: less, undone: more } : { done: more, undone: less };
};

const eventOf = (way: Way, version: number, offset: number): CaseEvent =>
  way === 'take'
    ? { type: 'StepTaken', version, piece: piece(offset) }
    : { type: way === 'undo' ? 'StepUndone' : 'StepRedone', version };

test('undo and redo lead through exactly the steps that were taken, as in any editor', () => {
  const ways = fc.array(fc.constantFrom<Way>('take', 'undo', 'redo'), { maxLength: 30 });
  fc.assert(
    fc.property(ways, (all) => {
      let known = made;
      let expected: Model = { done: [0], undone: [] };
      for (const [at, way] of all.entries()) {
        const { version } = known;
        const size = { textBytes: 10, recordBytes: 10 };
        const command = way === 'take' ? { type: way, version, ...size } : { type: way, version };
        const refused = decide(known, OWNED, command);
        const next = evolve(known, entry(eventOf(way, version, at + 1))) as Case;
        // What is refused before it is written changes nothing if it is written all the same.
        expect(next === known).toBe(refused !== null);
        expected = model(expected, way, at + 1);
        known = next;
      }
      expect(known.done.map(({ offset }) => offset)).toEqual(expected.done);
      expect(known.undone.map(({ offset }) => offset)).toEqual(expected.undone);
    }),
  );
});

test('of two changes to one version only the first counts', () => {
  const first = evolve(made, entry({ type: 'StepTaken', version: 1, piece: piece(1) })) as Case;
  expect(evolve(first, entry({ type: 'StepTaken', version: 1, piece: piece(2) }))).toBe(first);
  expect(evolve(first, entry({ type: 'StepUndone', version: 1 }))).toBe(first);
});

test('events of another owner change nothing', () => {
  for (const event of [
    { type: 'StepTaken', version: 1, piece: piece(1) },
    { type: 'CaseNamed', name: 'x' },
    { type: 'LinkMade', hash: Buffer.from('x') },
    { type: 'CaseDeleted' },
    { type: 'CaseMade', name: 'x', first: piece(1) },
  ] as const)
    expect(evolve(made, entry(event, 'account:b'))).toBe(made);
});

test('an owner keeps only so many cases, steps and bytes, and may delete also when all is used up', () => {
  const size = { textBytes: 10, recordBytes: 10 };
  const full = { cases: 1, writtenBytes: LIMITS.writtenBytes };
  expect(decide(null, { ...OWNED, cases: LIMITS.cases }, { type: 'make', ...size })).toBe('many_cases');
  expect(decide(null, full, { type: 'make', ...size })).toBe('full');
  const long = { ...made, done: Array.from({ length: LIMITS.steps }, (_, at) => piece(at)) };
  expect(decide(long, OWNED, { type: 'take', version: 1, ...size })).toBe('many_steps');
  expect(decide(made, OWNED, { type: 'take', version: 1, ...size, textBytes: LIMITS.textBytes })).toBe(
    'long_case',
  );
  expect(decide(made, full, { type: 'name' })).toBe('full');
  expect(decide(made, full, { type: 'delete' })).toBeNull();
  expect(decide(made, full, { type: 'unshare' })).toBeNull();
});

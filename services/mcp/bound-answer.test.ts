import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundAnswer } from './bound-answer.ts';

test('lists are cut to what a summary shows, and each cut is named with how many there were', () => {
  const answer = { hops: Array.from({ length: 7 }, (_, i) => ({ others: Array(i).fill(i) })) };
  const bounded = boundAnswer(answer, 'summary');
  expect((bounded.answer as typeof answer).hops).toHaveLength(5);
  expect(bounded.truncated).toEqual([{ path: 'hops', shown: 5, total: 7 }]);
  expect(boundAnswer(answer, 'full')).toEqual({ answer, truncated: [] });
});

test('an answer of any number of entries stays below sixty kilobytes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 500 }), (entries, length) => {
      const answer = { list: Array.from({ length: entries }, () => ({ text: 'x'.repeat(length) })) };
      const bounded = boundAnswer(answer, 'full');
      expect(JSON.stringify(bounded.answer).length).toBeLessThanOrEqual(60_000);
      const shown = (bounded.answer as typeof answer).list.length;
      expect(bounded.truncated).toEqual(shown === entries ? [] : [{ path: 'list', shown, total: entries }]);
    }),
    { numRuns: 50 },
  );
});

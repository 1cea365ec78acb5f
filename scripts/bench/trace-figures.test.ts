import { expect, test } from 'vitest';
import { UsageError } from './run-chosen.ts';
import { toFigures } from './trace-figures.ts';

const about = { transfers: 10, rows: 3 };

test('the slowest hundredth of traces is told over a SELECT 1, as the median is', () => {
  const tracesMs = Array.from({ length: 200 }, (_, at) => (at < 197 ? 20 : 300));
  const figures = toFigures({ tracesMs, selectsMs: tracesMs.map(() => 5), fits: [1] }, about);
  const values = Object.fromEntries(figures.map(({ name, value }) => [name, value]));
  expect(values).toMatchObject({ 'trace.p50_over_select_1': 4, 'trace.p99_over_select_1': 60 });
});

test('where no trace was left to measure, what to say instead is said in a sentence', () => {
  const nothing = { tracesMs: [], selectsMs: [], fits: [] };
  expect(() => toFigures(nothing, about)).toThrow(UsageError);
  expect(() => toFigures(nothing, about)).toThrow('--transfers: among so few');
});

import { expect, test } from 'vitest';
import { readTime } from './read-time.ts';

test('a day that no calendar has is no time, and what is no date neither', () => {
  expect(readTime('2024-02-29')).toBe(Date.UTC(2024, 1, 29) / 1_000);
  expect(readTime('2024-02-29 12:00')).toBe(Date.UTC(2024, 1, 29, 12) / 1_000);
  expect(readTime('2024-02-29T12:00:30+02:00')).toBe(Date.UTC(2024, 1, 29, 10, 0, 30) / 1_000);
  for (const text of [
    '2024-02-31',
    '2023-02-29',
    '2023-04-31T12:00:00Z',
    '2024-13-01',
    '2024-00-10',
    '12',
    '',
  ])
    expect(readTime(text), text).toBeNull();
});

import { expect, test } from 'vitest';
import { bar, duration, startProgress } from './progress.ts';

const outputOf = (isTTY: boolean) => {
  const written: string[] = [];
  const write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  return { written, output: { isTTY, columns: 40, write } };
};

test('a terminal shows one line that is drawn again, never wider than the terminal', () => {
  const { written, output } = outputOf(true);
  let nowMs = 0;
  const progress = startProgress(output, () => nowMs);
  progress.update('x'.repeat(100));
  nowMs = 50;
  progress.update('too soon');
  nowMs = 200;
  progress.update('second');
  expect(written).toEqual(['x'.repeat(39), '\r\u001b[2K', 'second']);
});

test('a file gets whole lines, a few seconds apart, and every note', () => {
  const { written, output } = outputOf(false);
  let nowMs = 0;
  const progress = startProgress(output, () => nowMs);
  progress.update('first');
  nowMs = 1_000;
  progress.update('too soon');
  progress.note('broken: a.json');
  nowMs = 6_000;
  progress.update('second');
  progress.end();
  expect(written).toEqual(['first\n', 'broken: a.json\n', 'second\n']);
});

test('durations and bars read as a person expects', () => {
  expect([4, 200, 7_320, Number.POSITIVE_INFINITY].map(duration)).toEqual([
    '4 s',
    '3 m 20 s',
    '2 h 2 m',
    '?',
  ]);
  expect([bar(0, 4), bar(0.5, 4), bar(2, 4)]).toEqual(['[....]', '[##..]', '[####]']);
});

test('no line that stays gives the terminal orders, or is two lines', () => {
  const { written, output } = outputOf(false);
  startProgress(output, () => 0).note(
    'refused: \u001b]0;x\u0007\u009b2J\u202ea\nspoor: all is well — Jérôme 😀',
  );
  expect(written).toEqual(['refused: ?]0;x??2J?a?spoor: all is well — Jérôme 😀\n']);
});

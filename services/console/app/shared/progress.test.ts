import { expect, test } from 'vitest';
import type { Step } from '../../../sdk/read-steps.ts';
import { describeProgress, hear, NOTHING_YET } from './progress.ts';

const step = (kind: Step['kind'], address: string, seconds_left: number | null = null): Step => ({
  ...{ kind, chain: 'base', address, seconds_left },
});
const after = (...steps: readonly Step[]) => describeProgress(steps.reduce(hear, NOTHING_YET));

test('progress names what is being read and counts what was read, each history once', () => {
  expect(after()).toBeNull();
  expect(after(step('reading', 'ann', 40))).toBe('reading ann on base, about 40 seconds left');
  expect(after(step('reading', 'ann', 40), step('reading', 'bea', 300))).toBe(
    'reading bea on base, and 1 more, about 5 minutes left',
  );
  const both = [step('reading', 'ann', 40), step('reading', 'bea'), step('read', 'bea')];
  expect(after(...both)).toBe('reading ann on base, about 40 seconds left; 1 history read');
  expect(after(...both, step('reading', 'ann', 9), step('read', 'ann'))).toBe('2 histories read');
});

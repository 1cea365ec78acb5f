import { expect, test } from 'vitest';
import { createLine } from './create-line.ts';

test('who waits too long is refused, and its place goes to nobody', async () => {
  const line = createLine({ atOnceMax: 1, waitingMax: 10, eachMax: 10, waitMs: 20, sentence: 'Too many.' });
  const anyone = { kind: 'anyone', from: null } as const;
  const { signal } = new AbortController();
  const held = Promise.withResolvers<string>();
  const first = line(anyone, signal, () => held.promise);
  let hasBegun = false;
  const late = line(anyone, signal, async () => {
    hasBegun = true;
  });
  await expect(late).rejects.toMatchObject({ code: 'too_many_calls' });
  held.resolve('done');
  expect(await first).toBe('done');
  expect(hasBegun).toBe(false);
  expect(await line(anyone, signal, async () => 'next')).toBe('next');
});

import { expect, test } from 'vitest';
import { VirtualTime } from './virtual-time.ts';

test('a timer started before the clock was replaced can be cleared while it is', async () => {
  let hasFired = false;
  const timeout = setTimeout(() => {
    hasFired = true;
  }, 1);
  const restore = new VirtualTime(0).install();
  try {
    clearTimeout(timeout);
    clearTimeout(undefined);
  } finally {
    restore();
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(hasFired).toBe(false);
});

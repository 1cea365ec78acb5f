import { expect, test } from 'vitest';
import { SourceError } from '../../nodes/source-error.ts';
import { createAnchors } from './anchors.ts';

const NEVER = new AbortController().signal;
const HEAD = 1_000_000;

/** A node that begins its lists at any signature, and whose first question fails. */
const failingFirst = (transient: boolean) => {
  let asked = 0;
  return createAnchors(async (method, params) => {
    asked += 1;
    if (asked === 1) throw new SourceError('unreachable', 'no answer', { transient });
    if (method === 'getBlocksWithLimit') return [params[0]];
    return method === 'getBlock' ? { signatures: ['any'] } : [{ slot: 1 }];
  });
};

test.each([
  ['asked again if it failed for now', true],
  ['not asked again if it cannot answer', false],
])('a node is %s', async (_, transient) => {
  const anchors = failingFirst(transient);
  expect(await anchors.areHonoured(HEAD, NEVER)).toBe(false);
  expect(await anchors.areHonoured(HEAD, NEVER)).toBe(transient);
});

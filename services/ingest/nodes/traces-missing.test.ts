import { expect, test } from 'vitest';
import { buildBlock } from '../../testing/build-block.ts';
import type { BlockSource, FetchResult, Untraced } from './block-source.ts';
import { withTracesAwaited } from './traces-missing.ts';

const NEVER = new AbortController().signal;
const PATIENCE_MS = 500;
const NOT_NOW = { code: 'rpc_error', transient: true };

/** Blocks with a transaction each, traced but for those that fail; time passes only by `pass`. */
const open = () => {
  const movements = [{ from: 'ann', to: 'bea', amountRaw: 1n, asset: 'native' }];
  const transactions = [{ hash: '0x1', sender: 'ann', movements }];
  const decoded = buildBlock({ chain: 'ethereum', number: 1, timeUnixSeconds: 1, transactions });
  const failing = new Map<number, Untraced>();
  const source: BlockSource = {
    chain: 'ethereum',
    head: async () => 100,
    fetch: async (number): Promise<FetchResult> => ({
      ...{ status: 'block', decoded, untraced: failing.get(number) ?? null },
    }),
  };
  let nowMs = 0;
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { failing, pass, source: withTracesAwaited(source, PATIENCE_MS, () => nowMs) };
};

test('a block whose calls are not traced now is asked for again, and whole once they are', async () => {
  const { failing, source } = open();
  failing.set(1, 'for_now');
  await expect(source.fetch(1, NEVER)).rejects.toMatchObject(NOT_NOW);
  failing.delete(1);
  expect(await source.fetch(1, NEVER)).toMatchObject({ untraced: null });
});

test('one that is never traced is taken as it is in the end, and one that its nodes cannot trace at once', async () => {
  const { failing, pass, source } = open();
  failing.set(1, 'for_now').set(2, 'for_good');
  await expect(source.fetch(1, NEVER)).rejects.toMatchObject(NOT_NOW);
  expect(await source.fetch(2, NEVER)).toMatchObject({ untraced: 'for_good' });
  pass(PATIENCE_MS);
  expect(await source.fetch(3, NEVER)).toMatchObject({ untraced: null });
  expect(await source.fetch(1, NEVER)).toMatchObject({ untraced: 'for_now' });
});

test('where no block was traced for as long it is the nodes, and no further block waits', async () => {
  const { failing, pass, source } = open();
  failing.set(1, 'for_now').set(2, 'for_now');
  pass(PATIENCE_MS);
  expect(await source.fetch(1, NEVER)).toMatchObject({ untraced: 'for_now' });
  expect(await source.fetch(2, NEVER)).toMatchObject({ untraced: 'for_now' });
});

test('blocks that are never traced do not hold up their chain each: after one that was waited for in vain none is for a time', async () => {
  const { failing, pass, source } = open();
  for (const number of [1, 2, 3, 5]) failing.set(number, 'for_now');
  const fetch = (number: number) => source.fetch(number, NEVER);
  await expect(fetch(1)).rejects.toMatchObject(NOT_NOW);
  await expect(fetch(2)).rejects.toMatchObject(NOT_NOW);
  pass(PATIENCE_MS);
  await fetch(4);
  for (const number of [1, 2, 3]) expect(await fetch(number)).toMatchObject({ untraced: 'for_now' });
  pass(2 * PATIENCE_MS);
  await fetch(6);
  await expect(fetch(5)).rejects.toMatchObject(NOT_NOW);
});

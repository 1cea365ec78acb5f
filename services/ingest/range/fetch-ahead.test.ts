import { expect, test } from 'vitest';
import type { FetchResult } from '../nodes/block-source.ts';
import { fetchAhead } from './fetch-ahead.ts';

const NEVER = new AbortController().signal;
const SKIPPED: FetchResult = { status: 'skipped' };

/** A node that answers when it is told to. */
const startNode = () => {
  const asked: { number: number; signal: AbortSignal; answer: () => void }[] = [];
  const fetch = (number: number, signal: AbortSignal): Promise<FetchResult> =>
    new Promise((resolve) => asked.push({ number, signal, answer: () => resolve(SKIPPED) }));
  const numbersAsked = (): number[] => asked.map(({ number }) => number);
  return { asked, fetch, numbersAsked };
};

test('so many numbers are asked for at once and no more, and given in order, whichever is answered first', async () => {
  const { asked, fetch, numbersAsked } = startNode();
  const numbers = fetchAhead(fetch, { first: 7, last: 11 }, 3, NEVER);
  const first = numbers.next();
  expect(numbersAsked()).toEqual([7, 8, 9]);
  for (const { answer } of asked.toReversed()) answer();
  expect(await first).toMatchObject({ value: { number: 7, fetched: SKIPPED } });
  expect(numbersAsked()).toEqual([7, 8, 9]);
  expect(await numbers.next()).toMatchObject({ value: { number: 8 } });
  expect(numbersAsked()).toEqual([7, 8, 9, 10]);
  expect(await numbers.next()).toMatchObject({ value: { number: 9 } });
  expect(numbersAsked()).toEqual([7, 8, 9, 10, 11]);
  for (const { answer } of asked) answer();
  expect(await numbers.next()).toMatchObject({ value: { number: 10 } });
  expect(await numbers.next()).toMatchObject({ value: { number: 11 } });
  expect(await numbers.next()).toMatchObject({ done: true });
  expect(numbersAsked()).toEqual([7, 8, 9, 10, 11]);
});

test('who leaves early stops what is still being asked', async () => {
  const { asked, fetch } = startNode();
  const numbers = fetchAhead(fetch, { first: 1, last: 9 }, 4, NEVER);
  const first = numbers.next();
  asked[0]?.answer();
  await first;
  expect(asked.some(({ signal }) => signal.aborted)).toBe(false);
  await numbers.return(undefined);
  expect(asked.every(({ signal }) => signal.aborted)).toBe(true);
});

import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eachInTurns, giveWay, groupInTurns, mapInTurns } from './give-way.ts';

const PIECE_MS = 3;
const work = (): void => {
  const endMs = performance.now() + PIECE_MS;
  while (performance.now() < endMs);
};

test('other work goes on while much is worked on, and nothing is left out', async () => {
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns += 1) await turn();
  })();
  const done: number[] = [];
  await eachInTurns(Array.from({ length: 40 }).keys(), (item) => {
    work();
    done.push(item);
  });
  isOver = true;
  await others;
  expect(done).toEqual([...Array(40).keys()]);
  // 120 ms in turns of some 8.
  expect(turns).toBeGreaterThan(5);
});

test('many that give way at once do not go on in one turn', async () => {
  const at: number[] = [];
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns += 1) await turn();
  })();
  // A new turn, which then lasts long enough.
  await turn();
  await turn();
  await giveWay();
  for (let piece = 0; piece < 4; piece++) work();
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      await giveWay();
      work();
      at.push(turns);
    }),
  );
  isOver = true;
  await others;
  expect(new Set(at).size).toBe(20);
});

test('groups and other forms are those that one turn would make', async () => {
  const items = Array.from({ length: 100 }, (_, at) => at);
  const keyOf = (item: number): number => item % 7;
  expect(await groupInTurns(items, keyOf)).toEqual(Map.groupBy(items, keyOf));
  expect(await mapInTurns(items, String)).toEqual(items.map(String));
});

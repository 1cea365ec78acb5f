import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSimulation } from './simulation.ts';

test('what is due first runs first, and ties run in the order they were asked for', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }), (times) => {
      const simulation = createSimulation(0, 100);
      const ran: [number, number][] = [];
      for (const [order, time] of times.entries()) simulation.at(time, () => ran.push([time, order]));
      simulation.runUntil(100);
      const expected = times.map((time, order) => [time, order]).sort(([a = 0], [b = 0]) => a - b);
      expect(ran).toEqual(expected);
    }),
  );
});

test('an intent past the end is never kept, and what becomes due meanwhile still runs', () => {
  const simulation = createSimulation(0, 10);
  const ran: string[] = [];
  simulation.at(11, () => ran.push('late'));
  simulation.at(2, () => simulation.after(3, () => ran.push('after')));
  simulation.runUntil(4);
  expect(ran).toEqual([]);
  simulation.runUntil(20);
  expect(ran).toEqual(['after']);
});

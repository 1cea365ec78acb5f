import fc from 'fast-check';
import { expect, test } from 'vitest';
import { curveOf } from './lines.ts';
import { CARD, pixelsOf } from './measures.ts';

const place = fc.record({ column: fc.nat(6), row: fc.nat(6) });

/** Corners and control points of a path; a curve lies within those around it. */
const pointsOf = (path: string) =>
  [...path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));

test('a payment back to an earlier wallet, or to itself, runs beside and below both cards, and its words stand there', () => {
  fc.assert(
    fc.property(place, place, fc.integer({ min: -60, max: 60 }), (source, target, shift) => {
      fc.pre(target.column <= source.column);
      const [a, b] = [pixelsOf(source), pixelsOf(target)];
      const from = { x: a.x + CARD.width, y: a.y + CARD.height / 2 };
      const to = { x: b.x, y: b.y + CARD.height / 2 };
      const { path, x, y } = curveOf(from, to, shift);
      const below = Math.max(a.y, b.y) + CARD.height;
      expect(y).toBeGreaterThan(below);
      expect(y).toBeLessThan(below + CARD.rowStep - CARD.height);
      expect(x).toBe((from.x + to.x) / 2);
      const [start, ...points] = pointsOf(path);
      const end = points.pop();
      expect([start, end]).toEqual([from, to]);
      for (const point of points)
        expect(point.y > below || point.x > from.x || point.x < to.x, path).toBe(true);
    }),
  );
});

test('a payment to the right is one curve from card to card', () => {
  expect(curveOf({ x: 0, y: 10 }, { x: 100, y: 50 }, 0)).toEqual({
    path: 'M0 10 C50 10 50 50 100 50',
    ...{ x: 50, y: 30 },
  });
});

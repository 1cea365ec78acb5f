import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchMarginals } from './match-marginals.ts';

type Pair = { readonly receipt: number; readonly payment: number; readonly weight: number };
type Graph = Omit<Parameters<typeof matchMarginals>[0], 'pairs'> & { readonly pairs: readonly Pair[] };

const chancesOf = ({ pairs, ...graph }: Graph): Float64Array =>
  matchMarginals({
    ...graph,
    pairs: {
      receipts: pairs.map(({ receipt }) => receipt),
      payments: pairs.map(({ payment }) => payment),
      weights: pairs.map(({ weight }) => weight),
    },
  });

/** How probable each pair is, by all sets of pairs in which nobody stands twice. */
const byAllSets = ({ pairs, aloneWeight, receipts }: Graph): number[] => {
  const sums = pairs.map(() => 0);
  let total = 0;
  for (let set = 0; set < 2 ** pairs.length; set += 1) {
    const chosen = pairs.filter((_, at) => set & (1 << at));
    const used = new Set(chosen.flatMap(({ receipt, payment }) => [`r${receipt}`, `p${payment}`]));
    if (used.size < 2 * chosen.length) continue;
    const weight =
      chosen.reduce((product, pair) => product * pair.weight, 1) * aloneWeight ** (receipts - chosen.length);
    total += weight;
    for (const at of pairs.keys()) if (set & (1 << at)) sums[at] = (sums[at] ?? 0) + weight;
  }
  return sums.map((sum) => sum / total);
};

const weights = fc.double({ min: 0.01, max: 100, noNaN: true });
const aloneWeights = fc.double({ min: 0.1, max: 2, noNaN: true });

/** Each receipt or payment but the first hangs on one before it, so that no pairs form a ring. */
const trees = fc
  .record({
    links: fc.array(fc.record({ to: fc.nat(), weight: weights }), { minLength: 1, maxLength: 9 }),
    aloneWeight: aloneWeights,
  })
  .map(({ links, aloneWeight }): Graph => {
    const sides = { receipt: [0], payment: [] as number[] };
    const pairs = links.map(({ to, weight }): Pair => {
      const isReceipt = sides.payment.length > 0 && to % 2 === 0;
      const [mine, others] = isReceipt ? [sides.receipt, sides.payment] : [sides.payment, sides.receipt];
      const [own, other] = [mine.length, others[to % others.length] ?? 0];
      mine.push(own);
      return isReceipt ? { receipt: own, payment: other, weight } : { receipt: other, payment: own, weight };
    });
    return { pairs, receipts: sides.receipt.length, payments: sides.payment.length, aloneWeight };
  });

/** A tree whose messages change by less than 1 % a round while a chance is still 0.002 away. */
const slowTree: Graph = {
  pairs: [
    { receipt: 0, payment: 0, weight: 74 },
    { receipt: 0, payment: 1, weight: 1.2 },
    { receipt: 0, payment: 2, weight: 41 },
    { receipt: 1, payment: 1, weight: 70 },
    { receipt: 1, payment: 3, weight: 0.023 },
    { receipt: 1, payment: 4, weight: 0.22 },
    { receipt: 1, payment: 5, weight: 63 },
    { receipt: 2, payment: 0, weight: 0.36 },
  ],
  ...{ receipts: 3, payments: 6, aloneWeight: 0.12 },
};

const grids = fc
  .record({ weights: fc.array(weights, { minLength: 9, maxLength: 9 }), aloneWeight: aloneWeights })
  .map(({ weights: nine, aloneWeight }): Graph => {
    const pairs = nine.map((weight, at) => ({ receipt: Math.floor(at / 3), payment: at % 3, weight }));
    return { pairs, receipts: 3, payments: 3, aloneWeight };
  });

describe('how probable it is that a payment passes on a receipt', () => {
  test('is what all ways to pair them say, where no pairs form a ring', () => {
    fc.assert(
      fc.property(trees, (graph) => {
        const chances = chancesOf(graph);
        byAllSets(graph).forEach((exact, at) => {
          expect(chances[at]).toBeCloseTo(exact, 3);
        });
      }),
      { examples: [[slowTree]] },
    );
  });

  test('is near it for three receipts and three payments, each of which may be any’s', () => {
    const errors = fc
      .sample(grids, { numRuns: 300, seed: 1 })
      .map((graph) => {
        const chances = chancesOf(graph);
        return Math.max(...byAllSets(graph).map((exact, at) => Math.abs(exact - (chances[at] ?? 0))));
      })
      .sort((a, b) => a - b);
    expect(errors[150]).toBeLessThan(0.02);
    expect(errors.at(-1)).toBeLessThan(0.3);
  });

  test('adds up to no more than one for a payment', () => {
    fc.assert(
      fc.property(grids, (graph) => {
        const chances = chancesOf(graph);
        for (const payment of [0, 1, 2]) {
          const own = graph.pairs.flatMap((pair, at) => (pair.payment === payment ? [chances[at] ?? 0] : []));
          expect(own.reduce((sum, chance) => sum + chance, 0)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

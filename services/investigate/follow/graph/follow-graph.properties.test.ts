import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askGraph, startAt } from '../../../testing/ask-graph.ts';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { sumOf } from '../../model/amount.ts';
import { type TransferReader, transactionKey } from '../../model/transfer-reader.ts';
import type { FlowGraph } from './flow-graph.ts';

const WALLETS = ['ann', 'bea', 'cyd', 'dot', 'eve', 'fay', 'gus', 'hal'] as const;
const wallet = fc.constantFrom(...WALLETS);
const amount = fc.oneof(fc.bigInt({ min: 0n, max: 1_000n }), fc.constantFrom(100n, 200n, 300n));
const step: fc.Arbitrary<StoryStep> = fc.record({
  time: fc.integer({ min: 1, max: 30 }),
  moves: fc.array(
    fc
      .record({ from: wallet, to: wallet, amountRaw: amount })
      .map(({ from, to, amountRaw }) => move(from, to, amountRaw)),
    { minLength: 1, maxLength: 3 },
  ),
  swaps: fc.array(
    fc
      .record({ owner: wallet, gaveRaw: amount })
      .map((swap) => ({ ...swap, gaveAsset: 'native', gotAsset: 'mint', gotRaw: 1n, through: null })),
    { maxLength: 1 },
  ),
});
const story = fc.array(step, { minLength: 1, maxLength: 40 });
const exchange = { gus: { name: 'Alder', kind: 'exchange', passing: null } as never };
const asked = fc.record({
  maxHops: fc.constantFrom(1, 3, 50),
  budget: fc.constantFrom({ calls: 4, seconds: 85 }, { calls: 1_000, seconds: 85 }),
  starts: fc.constantFrom(
    [startAt('ann')],
    [startAt('ann'), startAt('bea')],
    [{ ...startAt('ann'), amount: 2e-7, atUnixSeconds: 3 }, startAt('dot')],
  ),
});

/** In which it was met how often, so that the test cannot pass on nothing. */
const RUNS = { numRuns: 150 };

test('what was taken is at ends, rests, or is on the frontier, to the last unit', async () => {
  let moved = 0;
  await fc.assert(
    fc.asyncProperty(story, asked, async (steps, more) => {
      const graph = await askGraph(steps, more, exchange);
      const { takenRaw, endsRaw, restRaw, frontierRaw } = graph.coverage;
      expect(endsRaw + restRaw + frontierRaw).toBe(takenRaw);
      expect(sumOf(graph.outcomes)).toBe(takenRaw);
      for (const node of graph.nodes) expect(node.restRaw >= 0n).toBe(true);
      const left = (address: string): bigint =>
        graph.edges
          .filter(({ from }) => from === address)
          .reduce((sum, { tracedRaw }) => sum + tracedRaw, 0n);
      const swapped = graph.ends.filter(({ output }) => output !== null);
      for (const { address, leftRaw } of graph.nodes)
        expect(left(address) + sumOf(swapped.filter((end) => end.address === address))).toBe(leftRaw);
      moved += Number(endsRaw > 0n && restRaw > 0n && frontierRaw > 0n);
    }),
    RUNS,
  );
  expect(moved).toBeGreaterThan(3);
});

test('no payment is likelier than the likeliest that reached its payer, and every probability lies within 0 and 1', async () => {
  let doubted = 0;
  await fc.assert(
    fc.asyncProperty(story, asked, async (steps, more) => {
      const { edges, nodes } = await askGraph(steps, more, exchange);
      const starts = new Set(more.starts.map(({ start }) => start));
      for (const { from, probability, share } of edges) {
        expect(probability).toBeGreaterThan(0);
        expect(probability).toBeLessThanOrEqual(1);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
        if (starts.has(from)) continue;
        const into = edges.filter(({ to }) => to === from).map((edge) => edge.probability);
        expect(probability).toBeLessThanOrEqual(Math.max(...into));
        doubted += Number(probability < 1);
      }
      expect(new Set(nodes.map(({ address }) => address)).size).toBe(nodes.length);
    }),
    { numRuns: 2 * RUNS.numRuns },
  );
  expect(doubted).toBeGreaterThan(10);
});

/** Of few amounts, so that it is often in doubt whose money a payment is. */
const passing: fc.Arbitrary<readonly StoryStep[]> = fc
  .array(fc.record({ from: wallet, to: wallet, amountRaw: fc.constantFrom(60n, 100n) }), {
    ...{ minLength: 10, maxLength: 30 },
  })
  .map((moves) =>
    moves.map(({ from, to, amountRaw }, at) => ({ time: 1 + at, moves: [move(from, to, amountRaw)] })),
  );

test('nobody but wallets that the money reaches brings a wallet any', async () => {
  let joined = 0;
  await fc.assert(
    fc.asyncProperty(passing, asked, fc.constantFrom(0.5, 0.8), async (steps, more, minProbability) => {
      const { edges, nodes } = await askGraph(steps, { ...more, minProbability }, exchange);
      const reached = new Set(more.starts.map(({ start }) => start));
      for (const address of reached) for (const { from, to } of edges) if (from === address) reached.add(to);
      for (const { address, isStart, probability } of nodes) {
        const into = edges.filter(({ to }) => to === address);
        expect(reached).toContain(address);
        if (!isStart) expect(probability).toBe(Math.max(...into.map((edge) => edge.probability)));
        joined += Number(into.length > 1);
      }
    }),
    { numRuns: 2 * RUNS.numRuns },
  );
  expect(joined).toBeGreaterThan(20);
});

test('the order of starts decides nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      story,
      fc.shuffledSubarray([...WALLETS], { minLength: 2, maxLength: 4 }),
      async (steps, names) => {
        const graphOf = async (order: readonly string[]): Promise<Partial<FlowGraph>> => {
          const {
            request: _,
            read: __,
            ...graph
          } = await askGraph(steps, { starts: order.map(startAt) }, exchange);
          return graph;
        };
        expect(await graphOf(names.toReversed())).toEqual(await graphOf(names));
      },
    ),
    RUNS,
  );
});

/** Notes which rows of which wallet were asked for, which transactions and which labels. */
const noting =
  (noted: string[]) =>
  (reader: TransferReader): TransferReader => ({
    ...reader,
    flows: async (common, places, limits) => {
      const pages = await reader.flows(common, places, limits);
      const { side, ownOnly, transfersOnly = false } = common;
      for (const [at, { wallet }] of places.entries())
        noted.push(`${side} ${wallet} ${ownOnly} ${transfersOnly} ${pages[at]?.rows.length}`);
      return pages;
    },
    wholeTransactions: (common, positions, limits) => {
      for (const position of positions) noted.push(`transaction ${transactionKey(position)}`);
      return reader.wholeTransactions(common, positions, limits);
    },
    labels: (common, addresses, limits) => {
      for (const address of addresses) noted.push(`label ${address}`);
      return reader.labels(common, addresses, limits);
    },
  });

test('no wallet, transaction or label is read twice, and a step asks one question for all its wallets', async () => {
  let together = 0;
  let withTransactions = 0;
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      const noted: string[] = [];
      const questions: number[] = [];
      let transactions = 0;
      const { read } = await askGraph(steps, {}, exchange, (reader) =>
        noting(noted)({
          ...reader,
          flows: (common, places, limits) => {
            questions.push(places.length);
            return reader.flows(common, places, limits);
          },
          wholeTransactions: (...request) => {
            transactions += 1;
            return reader.wholeTransactions(...request);
          },
        }),
      );
      const asked = noted.map((line) => line.split(' ').slice(0, 4).join(' '));
      expect(new Set(asked).size).toBe(asked.length);
      expect(read.questions).toBeGreaterThanOrEqual(questions.length + transactions);
      withTransactions += Number(transactions > 0);
      together += Number(questions.some((count) => count > 1));
    }),
    RUNS,
  );
  expect(Math.min(together, withTransactions)).toBeGreaterThan(20);
});

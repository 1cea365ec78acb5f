import { describe, expect, test } from 'vitest';
import { askGraph, startAt } from '../../../testing/ask-graph.ts';
import { move } from '../../../testing/chain-story.ts';
import { PAYEES_PER_WALLET_MAX } from '../rules.ts';
import type { FlowGraph } from './flow-graph.ts';

const exchange = { name: 'Alder', kind: 'exchange', passing: null } as never;
const wayOf = ({ edges }: FlowGraph): string[] =>
  edges.map(({ from, to, tracedRaw }) => `${from}>${to} ${tracedRaw}`).sort();

test('money that splits and joins is followed over every branch, and a wallet is decided by all that came', async () => {
  const graph = await askGraph(
    [
      { time: 1, moves: [move('victim', 'ann', 100n)] },
      { time: 2, moves: [move('ann', 'bea', 60n)] },
      { time: 3, moves: [move('ann', 'cyd', 40n)] },
      { time: 4, moves: [move('bea', 'dot', 60n)] },
      { time: 5, moves: [move('cyd', 'dot', 40n)] },
      { time: 6, moves: [move('dot', 'shop', 100n)] },
    ],
    {},
    { shop: exchange },
  );
  expect(wayOf(graph)).toEqual(['ann>bea 60', 'ann>cyd 40', 'bea>dot 60', 'cyd>dot 40', 'dot>shop 100']);
  expect(graph.ends).toMatchObject([
    { reason: 'exchange', address: 'shop', amountRaw: 100n, probability: 1 },
  ]);
  expect(graph.coverage).toEqual({ takenRaw: 100n, endsRaw: 100n, restRaw: 0n, frontierRaw: 0n });
});

test('what another start brought to a shared wallet is no stranger’s', async () => {
  const story = [
    { time: 1, moves: [move('v', 'ann', 100n)] },
    { time: 1, moves: [move('v', 'bob', 70n)] },
    { time: 2, moves: [move('ann', 'mix', 100n)] },
    { time: 3, moves: [move('bob', 'mix', 70n)] },
    { time: 4, moves: [move('mix', 'one', 70n)] },
    { time: 5, moves: [move('mix', 'two', 100n)] },
  ];
  const both = await askGraph(story, { starts: [startAt('ann'), startAt('bob')] });
  expect(wayOf(both)).toContain('mix>one 70');
  expect(wayOf(both)).toContain('mix>two 100');
  // Alone, bob's 70 is a stranger's, so that it is less probable.
  const alone = await askGraph(story);
  const to = (graph: FlowGraph, name: string) =>
    graph.edges.find((edge) => edge.to === name)?.probability ?? 0;
  expect(to(alone, 'two')).toBeGreaterThan(0.8);
  expect(to(alone, 'one')).toBeLessThan(0.5);
  expect(alone.coverage.takenRaw).toBe(100n);
});

test('what a transaction brought of the flow’s is no stranger’s, though a stranger’s is as much as all of it', async () => {
  const graph = await askGraph(
    [
      { time: 1, moves: [move('v', 'ann', 60n), move('v', 'bob', 40n)] },
      {
        time: 2,
        by: 'ann',
        moves: [move('eve', 'mix', 100n), move('ann', 'mix', 60n), move('bob', 'mix', 40n)],
      },
      { time: 1_000, moves: [move('mix', 'one', 60n)] },
      { time: 1_100, moves: [move('mix', 'theirs', 100n)] },
      { time: 1_200, moves: [move('mix', 'two', 40n)] },
    ],
    { starts: [startAt('ann'), startAt('bob')] },
  );
  const likely = (name: string) => graph.edges.find(({ to }) => to === name)?.probability ?? 0;
  expect(likely('one')).toBeGreaterThan(0.9);
  expect(likely('two')).toBeGreaterThan(0.9);
  expect(likely('theirs')).toBeLessThan(0.5);
});

test.each([
  ['comes back to', [move('bea', 'ann', 100n)], [startAt('ann')], 'ann'],
  ['is paid to', [], [startAt('ann'), startAt('bea')], 'bea'],
])('money that %s a start of which nothing is known was taken once', async (_, back, starts, last) => {
  const graph = await askGraph(
    [
      { time: 1, moves: [move('ann', 'bea', 100n)] },
      ...(back.length > 0 ? [{ time: 2, moves: back }] : []),
      { time: 3, moves: [move(last, 'cyd', 130n)] },
    ],
    { starts },
  );
  expect(wayOf(graph)).toContain(`${last}>cyd 130`);
  expect(graph.coverage).toEqual({ takenRaw: 130n, endsRaw: 0n, restRaw: 130n, frontierRaw: 0n });
});

test('what a start paid another counts there once, so that nothing of others’ is taken for it', async () => {
  const story = [
    { time: 1, moves: [move('v', 'ann', 100n)] },
    { time: 2, moves: [move('ann', 'bea', 100n)] },
    { time: 3, moves: [move('bea', 'cyd', 100n)] },
    { time: 4, moves: [move('other', 'bea', 80n)] },
    { time: 5, moves: [move('bea', 'dot', 90n)] },
  ];
  const starts = [
    { ...startAt('ann'), counterparty: 'v' },
    { ...startAt('bea'), counterparty: 'ann' },
  ];
  const { nodes, coverage } = await askGraph(story, { starts });
  expect(nodes.map(({ address }) => address).sort()).toEqual(['ann', 'bea', 'cyd']);
  expect(coverage).toEqual({ takenRaw: 100n, endsRaw: 0n, restRaw: 100n, frontierRaw: 0n });
});

test('what comes back later is decided again, and money that goes round ends the search', async () => {
  const graph = await askGraph(
    [
      { time: 1, moves: [move('ann', 'bea', 100n)] },
      { time: 2, moves: [move('bea', 'ann', 100n)] },
      { time: 3, moves: [move('ann', 'cyd', 100n)] },
    ],
    { starts: [{ ...startAt('ann'), counterparty: null, amount: 1e-7, atUnixSeconds: 1 }] },
  );
  expect(graph.edges.map(({ from, to }) => `${from}>${to}`).sort()).toEqual([
    'ann>bea',
    'ann>cyd',
    'bea>ann',
  ]);
  expect(graph.nodes.find(({ address }) => address === 'cyd')).toMatchObject({
    restRaw: 100n,
    end: 'at_rest',
  });
});

test('what a wallet is brought by one that paid many others is no stranger’s there', async () => {
  const others = Array.from({ length: PAYEES_PER_WALLET_MAX }, (_, n) => move('ann', `payee ${n}`, 100n));
  const graph = await askGraph([
    { time: 1, moves: [move('v', 'ann', 30_000n)] },
    { time: 2, by: 'ann', moves: [...others, move('ann', 'mix', 90n)] },
    { time: 3, moves: [move('payee 0', 'mix', 50n)] },
    { time: 4, moves: [move('mix', 'one', 90n)] },
    { time: 5, moves: [move('mix', 'two', 50n)] },
  ]);
  expect(wayOf(graph).filter((edge) => edge.includes('mix'))).toEqual([
    ...['ann>mix 90', 'mix>one 90', 'mix>two 50', 'payee 0>mix 50'],
  ]);
});

test('a wallet that is read together with its payer is decided again by what the payer brings it then', async () => {
  const graph = await askGraph(
    [
      { time: 1, moves: [move('dot', 'ann', 100n)] },
      { time: 2, moves: [move('fay', 'ann', 100n)] },
      { time: 3, moves: [move('ann', 'hal', 100n)] },
      { time: 4, moves: [move('hal', 'gus', 100n)] },
    ],
    { starts: [{ ...startAt('ann'), amount: 2e-7, atUnixSeconds: 3 }, startAt('dot')] },
  );
  const likely = (name: string) => graph.edges.find(({ from }) => from === name)?.probability ?? 0;
  expect(likely('ann')).toBeLessThan(1);
  expect(likely('hal')).toBeLessThanOrEqual(likely('ann'));
});

describe('a wallet that none of the money reaches any more, because its payer was decided again,', () => {
  const doubted = [
    { time: 1, moves: [move('dot', 'ann', 100n)] },
    { time: 2, moves: [move('fay', 'ann', 100n)] },
    { time: 3, moves: [move('ann', 'hal', 100n)] },
  ];
  const after = [
    { time: 6, moves: [move('hal', 'gus', 100n)] },
    { time: 7, moves: [move('dot', 'gus', 60n)] },
    { time: 8, moves: [move('gus', 'ivy', 100n)] },
    { time: 9, moves: [move('gus', 'joe', 60n)] },
  ];
  const starts = [{ ...startAt('ann'), amount: 2e-7, atUnixSeconds: 3 }, startAt('dot')];

  test.each([
    ['brings nobody any', []],
    [
      'brings nobody what went round to it',
      [
        { time: 4, moves: [move('hal', 'kim', 100n)] },
        { time: 5, moves: [move('kim', 'hal', 100n)] },
      ],
    ],
  ])('%s', async (_, round) => {
    const graph = await askGraph([...doubted, ...round, ...after], { starts, minProbability: 0.8 });
    expect(graph.nodes.map(({ address }) => address).sort()).toEqual(['ann', 'dot', 'gus', 'joe']);
    expect(graph.edges.map(({ from, to }) => `${from}>${to}`).sort()).toEqual([
      'dot>ann',
      'dot>gus',
      'gus>joe',
    ]);
  });
});

test('what a contract pays of doubtful money is as doubtful, whatever was brought to it before', async () => {
  const paid = (payer: string, [one, two, three]: readonly [string, string, string]) => [
    move(payer, 'desk', 100n),
    ...[move('desk', one, 40n), move('desk', two, 35n), move('desk', three, 25n)],
  ];
  const graph = await askGraph([
    { time: 1, moves: [move('v', 'ann', 200n)] },
    { time: 2, by: 'ann', moves: paid('ann', ['hal', 'ida', 'jon']) },
    { time: 3, moves: [move('ann', 'mix', 100n), move('stranger', 'mix', 100n)] },
    { time: 4, moves: [move('mix', 'bob', 100n)] },
    { time: 5, moves: [move('mix', 'eve', 100n)] },
    { time: 6, by: 'bob', moves: paid('bob', ['kim', 'lou', 'max']) },
  ]);
  const likely = (name: string) => graph.edges.find(({ to }) => to === name)?.probability ?? 0;
  expect(likely('hal')).toBe(1);
  expect(likely('bob')).toBeLessThan(0.8);
  for (const name of ['kim', 'lou', 'max']) expect(likely(name)).toBeLessThanOrEqual(likely('bob'));
});

test('a swap is an end with what was got', async () => {
  const swap = {
    owner: 'bea',
    gaveAsset: 'native',
    gaveRaw: 90n,
    gotAsset: 'mint',
    gotRaw: 5n,
    through: 'pool',
  };
  const graph = await askGraph([
    { time: 1, moves: [move('ann', 'bea', 100n)] },
    { time: 2, moves: [move('bea', 'pool', 90n)], swaps: [swap] },
  ]);
  expect(graph.ends).toMatchObject([
    { reason: 'dex_swap', address: 'bea', amountRaw: 90n, output: { asset: 'mint', amountRaw: 5n } },
  ]);
  expect(graph.coverage).toEqual({ takenRaw: 100n, endsRaw: 90n, restRaw: 10n, frontierRaw: 0n });
});

test('a swap names what most of the money was given for, though somebody else’s was more', async () => {
  const sold = (gaveRaw: bigint, gotAsset: string) => ({
    moves: [move('bea', 'pool', gaveRaw)],
    swaps: [{ owner: 'bea', gaveAsset: 'native', gaveRaw, gotAsset, gotRaw: gaveRaw, through: 'pool' }],
  });
  const graph = await askGraph([
    { time: 1, moves: [move('fay', 'bea', 1_000n)] },
    { time: 2_000, moves: [move('ann', 'bea', 100n)] },
    { time: 2_100, ...sold(90n, 'mint') },
    { time: 2_160, ...sold(1_000n, 'other') },
  ]);
  const output = { asset: 'mint', amountRaw: 90n, sinceUnixSeconds: 2_100 };
  expect(graph.ends).toMatchObject([{ reason: 'dex_swap', address: 'bea', amountRaw: 100n, output }]);
});

test('money that a contract passes on within its transaction reaches whom it paid, and what it kept stays there', async () => {
  const graph = await askGraph([
    { time: 1, moves: [move('v', 'ann', 1_000n)] },
    {
      ...{ time: 2, by: 'ann' },
      moves: [
        ...[move('ann', 'router', 1_000n), move('customer', 'router', 1_000n)],
        ...[move('router', 'bea', 1_400n), move('router', 'cyd', 400n)],
      ],
    },
    { time: 3, moves: [move('router', 'next customer', 200n)] },
    { time: 4, moves: [move('bea', 'dot', 700n)] },
  ]);
  expect(wayOf(graph)).toEqual(['ann>bea 700', 'ann>cyd 200', 'ann>router 100', 'bea>dot 700']);
  expect(graph.edges.find(({ to }) => to === 'bea')).toMatchObject({
    through: [{ address: 'router', label: null }],
    transactions: [{ signature: 'tx-2-0', amountRaw: 700n }],
  });
  expect(graph.ends).toMatchObject([
    { reason: 'at_rest', address: 'dot', amountRaw: 700n },
    { reason: 'at_rest', address: 'cyd', amountRaw: 200n },
    { reason: 'at_rest', address: 'router', amountRaw: 100n },
  ]);
  expect(graph.coverage).toEqual({ takenRaw: 1_000n, endsRaw: 0n, restRaw: 1_000n, frontierRaw: 0n });
});

test('what a known exchange pays within the transaction that paid it is its own', async () => {
  const graph = await askGraph(
    [
      { time: 1, moves: [move('v', 'ann', 100n)] },
      { time: 2, by: 'ann', moves: [move('ann', 'shop', 100n), move('shop', 'customer', 100n)] },
    ],
    {},
    { shop: exchange },
  );
  expect(wayOf(graph)).toEqual(['ann>shop 100']);
  expect(graph.ends).toMatchObject([{ reason: 'exchange', address: 'shop', amountRaw: 100n }]);
});

test('what comes back to its payer within the transaction never left, however little it is', async () => {
  const graph = await askGraph([
    { time: 1, moves: [move('v', 'ann', 100n)] },
    {
      ...{ time: 2, by: 'ann' },
      moves: [move('ann', 'bea', 100n), move('bea', 'cyd', 60n), move('cyd', 'ann', 40n)],
    },
    { time: 3, moves: [move('ann', 'dot', 40n)] },
    { time: 4, moves: [move('bea', 'eve', 40n)] },
  ]);
  expect(wayOf(graph)).toEqual(['ann>bea 60', 'ann>dot 40', 'bea>cyd 20', 'bea>eve 40']);
  expect(graph.coverage).toEqual({ takenRaw: 100n, endsRaw: 0n, restRaw: 100n, frontierRaw: 0n });
});

describe('money that a pool buys within its transaction', () => {
  const sale = [move('ann', 'router', 100n), move('router', 'pool', 100n)];
  const got = (to: string, raw = 5n) => move('pool', to, raw, { asset: 'mint' });

  test('ends with who got most of what was paid for it, and what leaves the pool is others’', async () => {
    const graph = await askGraph([
      { time: 1, moves: [move('v', 'ann', 100n)] },
      { time: 2, by: 'ann', moves: [...sale, got('ann')] },
      { time: 3, moves: [move('pool', 'next customer', 100n)] },
    ]);
    expect(graph.edges).toEqual([]);
    expect(graph.ends).toMatchObject([
      {
        ...{ reason: 'dex_swap', address: 'ann', from: 'ann', amountRaw: 100n, probability: 1 },
        output: { asset: 'mint', amountRaw: 5n },
      },
    ]);
    expect(graph.coverage).toEqual({ takenRaw: 100n, endsRaw: 100n, restRaw: 0n, frontierRaw: 0n });
  });

  test('names another who got it, and goes on with what was not sold', async () => {
    const graph = await askGraph([
      { time: 1, moves: [move('v', 'ann', 140n)] },
      { time: 2, by: 'eve', moves: [move('ann', 'pool', 100n), got('eve')] },
      { time: 3, by: 'ann', moves: [move('ann', 'pool', 40n)] },
      { time: 4, moves: [move('pool', 'dot', 40n)] },
    ]);
    expect(wayOf(graph)).toEqual(['ann>pool 40', 'pool>dot 40']);
    expect(graph.ends).toMatchObject([
      { reason: 'dex_swap', address: 'eve', from: 'ann', amountRaw: 100n },
      { reason: 'at_rest', address: 'dot', from: 'dot', amountRaw: 40n },
    ]);
  });

  test('goes on where less than half of what a wallet got was sold', async () => {
    const graph = await askGraph([
      { time: 1, moves: [move('v', 'ann', 140n)] },
      { time: 2, by: 'ann', moves: [move('ann', 'pool', 40n), got('ann')] },
      { time: 3, by: 'ann', moves: [move('ann', 'pool', 100n)] },
      { time: 4, moves: [move('pool', 'dot', 140n)] },
    ]);
    expect(wayOf(graph)).toEqual(['ann>pool 140', 'pool>dot 140']);
  });

  test('is shared by who got it, though there was less of it than of them', async () => {
    const graph = await askGraph([
      { time: 1, moves: [move('v', 'ann', 101n)] },
      {
        ...{ time: 2, by: 'ann' },
        moves: [move('ann', 'pool', 1n), got('ann'), got('ann', 1n), got('eve', 4n)],
      },
      { time: 3, moves: [move('ann', 'dot', 100n)] },
    ]);
    expect(wayOf(graph)).toEqual(['ann>dot 100']);
    expect(graph.ends).toMatchObject([
      { reason: 'at_rest', address: 'dot', amountRaw: 100n },
      { reason: 'dex_swap', address: 'ann', amountRaw: 1n },
    ]);
  });

  test('is a known exchange’s own business', async () => {
    const graph = await askGraph(
      [
        { time: 1, moves: [move('v', 'ann', 100n)] },
        { time: 2, by: 'ann', moves: [move('ann', 'pool', 100n), got('ann')] },
      ],
      {},
      { pool: exchange },
    );
    expect(graph.ends).toMatchObject([{ reason: 'exchange', address: 'pool' }]);
  });
});

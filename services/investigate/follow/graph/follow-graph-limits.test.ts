import { describe, expect, test } from 'vitest';
import { askGraph, startAt } from '../../../testing/ask-graph.ts';
import type { MovementPlan } from '../../../testing/build-block.ts';
import { move } from '../../../testing/chain-story.ts';
import {
  type Flow,
  type FlowPage,
  ReadFailedError,
  TRANSFER_STEP,
  type TransferReader,
} from '../../model/transfer-reader.ts';
import {
  FIRST_PAGE_ROWS,
  FLOW_ROWS_MAX,
  FLOW_WALLETS_MAX,
  PAYEES_PER_WALLET_MAX,
  SALE_ROWS_MAX,
} from '../rules.ts';
import type { FlowGraph } from './flow-graph.ts';

const wayOf = ({ edges }: FlowGraph): string[] =>
  edges.map(({ from, to, tracedRaw }) => `${from}>${to} ${tracedRaw}`).sort();

test('transactions that hold more rows than a read may bring are told as far as they were read', async () => {
  const junk = Array.from({ length: SALE_ROWS_MAX / 2 - 10 }, (_, n) =>
    move('ann', `junk ${n}`, 1n, { asset: 'spam' }),
  );
  const story = Array.from({ length: 8 }, (_, n) => ({
    ...{ time: 2 + n, by: 'ann' },
    moves: [move('ann', `payee ${n}`, 20n), ...junk],
  }));
  const graph = await askGraph([{ time: 1, moves: [move('v', 'ann', 160n)] }, ...story]);
  expect(wayOf(graph)).toEqual(Array.from({ length: 8 }, (_, n) => `ann>payee ${n} 20`));
});

describe('transactions that are filled with rows', () => {
  const sale = (who: string, time: number) => ({
    ...{ time, by: who },
    moves: [move(who, 'pool', 100n), move('pool', who, 5_000n, { asset: 'mint' })],
  });
  const fill = (count: number) =>
    Array.from({ length: count }, (_, n) => move('spammer', `junk ${n}`, 1n, { asset: 'spam' }));
  const story = (transactions: number, rows: readonly MovementPlan[]) => [
    { time: 1, moves: [move('v', 'ann', 200n)] },
    { time: 2, moves: [move('ann', 'bea', 100n)] },
    { time: 3, moves: [move('ann', 'cyd', 100n)] },
    ...Array.from({ length: transactions }, (_, n) => ({
      ...{ time: 4 + n, by: 'bea' },
      moves: [move('bea', `payee ${n}`, 1n), ...rows],
    })),
    sale('cyd', 200),
  ];

  test('hide no sale of another wallet', async () => {
    const graph = await askGraph(story(100, fill(SALE_ROWS_MAX / 24)));
    expect(graph.ends.map(({ reason }) => reason)).toContain('dex_swap');
  });

  test('are told where they cannot be read', async () => {
    const graph = await askGraph(story(1, fill(SALE_ROWS_MAX + 1)));
    expect(graph.cuts).toMatchObject([{ wallet: 'bea' }]);
    expect(graph.ends.map(({ reason }) => reason)).toContain('dex_swap');
  });
});

test('a start that cannot be read again, when money comes back to it, stands as it was decided', async () => {
  const story = [
    { time: 2, moves: [move('ann', 'bea', 100n)] },
    { time: 3, moves: [move('bea', 'ann', 100n)] },
    { time: 4, moves: [move('ann', 'cyd', 60n)] },
    { time: 5, moves: [move('ann', 'dot', 60n)] },
  ];
  const starts = [{ ...startAt('ann'), amount: 1e-7, atUnixSeconds: 2 }];
  let refused = 0;
  const graph = await askGraph(story, { starts }, {}, (reader) => ({
    ...reader,
    flows: async (common, ...asked) => {
      // Others' receipts, which tell whose money a payment is.
      const isDoubted = common.side === 'arrivals' && common.transfersOnly;
      if (!isDoubted) return reader.flows(common, ...asked);
      refused += 1;
      throw new ReadFailedError('timeout');
    },
  }));
  expect(refused).toBeGreaterThan(0);
  expect(wayOf(graph)).toEqual(['ann>bea 100', 'bea>ann 100']);
  expect(graph.frontier).toMatchObject([{ address: 'ann', reason: 'unread', amountRaw: 100n }]);
});

test('where it stops early, what was not read is told with its reason and its money', async () => {
  const story = [
    { time: 1, moves: [move('ann', 'bea', 100n)] },
    { time: 2, moves: [move('bea', 'cyd', 100n)] },
    { time: 3, moves: [move('cyd', 'dot', 100n)] },
  ];
  const short = await askGraph(story, { maxHops: 2 });
  expect(short.frontier).toMatchObject([{ address: 'cyd', reason: 'max_hops', amountRaw: 100n }]);
  const poor = await askGraph(story, { budget: { calls: 5, seconds: 85 } });
  expect(poor.frontier.map(({ reason }) => reason)).toEqual(['calls']);
  expect(poor.coverage.frontierRaw).toBe(100n);
});

test('money that left by payments which are not followed does not rest, and is told', async () => {
  const story = [
    { time: 1, moves: [move('v', 'ann', 100n)] },
    { time: 1, moves: [move('w', 'bob', 100n)] },
    { time: 2, moves: [move('ann', 'mix', 100n)] },
    { time: 2, moves: [move('bob', 'mix', 100n)] },
    { time: 3, moves: [move('mix', 'one', 100n)] },
    { time: 3, moves: [move('mix', 'two', 100n)] },
  ];
  const sure = await askGraph(story, { minProbability: 0.9 });
  expect(sure.nodes.find(({ address }) => address === 'mix')?.end).toBeNull();
  expect(sure.frontier).toMatchObject([{ address: 'mix', reason: 'min_probability' }]);
  const { takenRaw, endsRaw, restRaw, frontierRaw } = sure.coverage;
  expect(frontierRaw).toBeGreaterThan(2n * restRaw);
  expect(endsRaw + restRaw + frontierRaw).toBe(takenRaw);
});

test('crumbs paid to thousands leave a place for the money, and what is not followed of them is told', async () => {
  const hops = Math.ceil(FLOW_WALLETS_MAX / PAYEES_PER_WALLET_MAX) + 3;
  const crumbs = PAYEES_PER_WALLET_MAX - 1;
  const paid = (hop: number) => BigInt(1_000_000 - (1 + hop) * crumbs);
  const story = Array.from({ length: hops }, (_, hop) => ({
    time: 2 + hop,
    moves: [
      move(`w${hop}`, `w${hop + 1}`, paid(hop)),
      ...Array.from({ length: crumbs }, (_, n) => move(`w${hop}`, `crumb ${hop}.${n}`, 1n)),
    ],
  }));
  const { nodes, ends, frontier, coverage } = await askGraph(
    [{ time: 1, moves: [move('v', 'w0', 1_000_000n)] }, ...story],
    { starts: [startAt('w0')] },
  );
  expect(nodes).toHaveLength(FLOW_WALLETS_MAX);
  expect(ends[0]).toMatchObject({ reason: 'at_rest', address: `w${hops}`, amountRaw: paid(hops - 1) });
  expect(new Set(frontier.map(({ reason }) => reason))).toEqual(new Set(['size']));
  expect(coverage.frontierRaw).toBe(BigInt(hops + 1 + hops * crumbs - FLOW_WALLETS_MAX));
  expect(coverage.restRaw + coverage.frontierRaw).toBe(1_000_000n);
});

test('wallets too busy to be read whole share the rows of a flow, each is told to be read in part, and the parts add up', async () => {
  const hubs = Array.from({ length: 31 }, (_, n) => `hub ${n}`);
  const busyRows = 5_000;
  const rowAt = (at: number): Flow => ({
    ...{ type: 'transfer', blockTime: 1_000 + at, blockNumber: 1_000 + at, txIndex: 0, step: TRANSFER_STEP },
    ...{ amountRaw: 10n, counterparty: `crumb ${at}` },
  });
  const busy = (reader: TransferReader): TransferReader => ({
    ...reader,
    transactionHashes: async (_, positions) => positions.map(({ blockNumber }) => `tx ${blockNumber}`),
    flows: async (request, places, limits) =>
      Promise.all(
        places.map(async (place) => {
          if (request.side === 'arrivals' || !hubs.includes(place.wallet))
            return (await reader.flows(request, [place], limits))[0] as FlowPage;
          const first = Math.max(0, place.from.blockNumber - 1_000);
          const last = Math.min(busyRows, first + request.limit);
          const rows = Array.from({ length: last - first }, (_, n) => rowAt(first + n));
          return { rows, next: last < busyRows ? rowAt(last) : null };
        }),
      ),
  });
  const paid = hubs.map((hub, n) => ({ time: 2 + n, moves: [move('ann', hub, 100_000n)] }));
  const graph = await askGraph([{ time: 1, moves: [move('v', 'ann', 3_100_000n)] }, ...paid], {}, {}, busy);
  // Once the rows are used up no further page is read.
  expect(graph.read.rows).toBeLessThan(FLOW_ROWS_MAX + hubs.length * FIRST_PAGE_ROWS);
  expect(graph.cuts.map(({ wallet }) => wallet).sort()).toEqual(hubs.toSorted());
  expect(new Set(graph.cuts.map(({ rows }) => rows)).size).toBe(1);
  expect(new Set(graph.edges.map(({ from }) => from))).toEqual(new Set(['ann', ...hubs]));
  expect(new Set(graph.frontier.map(({ reason }) => reason))).toEqual(new Set(['size']));
  const { takenRaw, endsRaw, restRaw, frontierRaw } = graph.coverage;
  expect(takenRaw).toBe(3_100_000n);
  expect(endsRaw + restRaw + frontierRaw).toBe(takenRaw);
});

import { expect, test } from 'vitest';
import { ask } from '../../../testing/ask-follow.ts';
import { askGraph, startAt, toFlowRequest } from '../../../testing/ask-graph.ts';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { sumOf } from '../../model/amount.ts';
import { findChain } from '../../model/chain.ts';
import { ReadFailedError } from '../../model/transfer-reader.ts';
import type { FlowGraph } from '../graph/flow-graph.ts';
import { outcomeOfEnd, partsOfEnd } from './end-parts.ts';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const dollars = { asset: USDC };
const BURN = '1nc1nerator11111111111111111111111111111111';
const JITO = 'J1toso1uCk3RLmjorhTtrVwY9HJ7X6V9yYac6Y7kGCPn';

const freeze = (time: number, kind: 'frozen' | 'thawed' = 'frozen', holder = 'bea'): StoryStep => ({
  ...{ time, by: 'issuer', hash: `${kind}-${time}` },
  controls: [{ kind, subject: `account of ${holder}`, holder, party: 'issuer', asset: USDC }],
});

/** Of 1,000 that ann got, bea has 700 and cyd the rest. */
const THEFT: readonly StoryStep[] = [
  { time: 1, moves: [move('victim', 'ann', 1_000n, dollars)] },
  { time: 2, moves: [move('ann', 'bea', 700n, dollars)] },
  { time: 3, moves: [move('ann', 'cyd', 300n, dollars)] },
];
const inDollars = { canonicalAsset: USDC };
const sums = ({ outcomes }: Pick<FlowGraph, 'outcomes'>) =>
  Object.fromEntries(outcomes.map(({ outcome, amountRaw }) => [outcome, amountRaw]));

test('a balance that its issuer froze is frozen, with the transaction, and the sums are exact', async () => {
  const graph = await askGraph([...THEFT, freeze(4)], inDollars);
  expect(sums(graph)).toEqual({ frozen: 700n, at_rest: 300n });
  expect(graph.rests.find(({ address }) => address === 'bea')?.fate).toMatchObject({
    freeze: { signature: 'frozen-4', timeUnixSeconds: 4, blockNumber: 4, by: 'issuer' },
    isFreezeKnown: true,
  });
  const trail = await ask([...THEFT, freeze(4)], { start: 'ann', canonicalAsset: USDC });
  expect([outcomeOfEnd(trail), partsOfEnd(trail)]).toEqual([
    'frozen',
    [{ outcome: 'frozen', amountRaw: 700n }],
  ]);
});

test.each([
  ['released', [freeze(4), freeze(5, 'thawed')]],
  ['of another wallet', [freeze(4, 'frozen', 'dot')]],
])('a freeze that was %s freezes nothing', async (_, steps) => {
  const graph = await askGraph([...THEFT, ...steps], inDollars);
  expect(sums(graph)).toEqual({ at_rest: 1_000n });
  expect(graph.rests.map(({ fate }) => fate.isFreezeKnown)).toEqual([true, true]);
});

test('what any token’s maker calls a freeze is none', async () => {
  const own = { asset: 'own' };
  const steps: readonly StoryStep[] = [
    { time: 1, moves: [move('victim', 'ann', 1_000n, own)] },
    { time: 2, moves: [move('ann', 'bea', 1_000n, own)] },
    {
      ...{ time: 4, by: 'issuer' },
      controls: [{ ...own, kind: 'frozen', subject: 'account of bea', holder: 'bea', party: 'issuer' }],
    },
  ];
  const graph = await askGraph(steps, { canonicalAsset: 'own' });
  expect(sums(graph)).toEqual({ at_rest: 1_000n });
  expect(graph.rests.map(({ fate }) => fate.isFreezeKnown)).toEqual([false]);
});

test('what a wallet burnt and paid in fees since the money came is told apart, no more than it had', async () => {
  const story: readonly StoryStep[] = [
    { time: 1, moves: [move('bea', null, 90n, { kind: 'fee' })] },
    { time: 2, moves: [move('victim', 'ann', 1_000n)] },
    { time: 3, moves: [move('ann', 'bea', 700n), move('ann', null, 5n, { kind: 'fee' })] },
    { time: 4, moves: [move('ann', 'cyd', 200n), move('ann', null, 5n, { kind: 'fee' })] },
    { time: 5, moves: [move('bea', null, 650n, { kind: 'burn' })] },
    { time: 6, moves: [move('bea', null, 900n, { kind: 'fee' })] },
    { time: 7, moves: [move('cyd', BURN, 200n)] },
  ];
  const graph = await askGraph(story, { starts: [{ ...startAt('ann'), counterparty: 'victim' }] });
  expect(sums(graph)).toEqual({ burned: 850n, fees: 60n, at_rest: 90n });
  expect(sumOf(graph.outcomes)).toBe(graph.coverage.takenRaw);
});

test('a trail to a burn address ends burned', async () => {
  const trail = await ask([
    { time: 1, moves: [move('alice', 'ann', 100n)] },
    { time: 2, moves: [move('ann', BURN, 100n)] },
  ]);
  expect(trail.end.reason).toBe('at_rest');
  expect([outcomeOfEnd(trail), partsOfEnd(trail)]).toEqual([
    'burned',
    [{ outcome: 'burned', amountRaw: 100n }],
  ]);
});

const stake = (time: number, owner: string, gaveRaw: bigint, gotRaw: bigint): StoryStep => ({
  time,
  moves: [move(owner, 'reserve', gaveRaw), move(null, owner, gotRaw, { asset: JITO, kind: 'mint' })],
  swaps: [{ owner, gaveAsset: 'native', gaveRaw, gotAsset: JITO, gotRaw, through: null }],
});
const unstake = (time: number, owner: string, gaveRaw: bigint, gotRaw: bigint): StoryStep => ({
  time,
  by: owner,
  moves: [move(owner, null, gaveRaw, { asset: JITO, kind: 'burn' }), move('reserve', owner, gotRaw)],
  swaps: [{ owner, gaveAsset: JITO, gaveRaw, gotAsset: 'native', gotRaw, through: 'reserve' }],
});

test('what was staked is a position with the receipt’s issuer, in trail and flow', async () => {
  const story = [{ time: 1, moves: [move('alice', 'ann', 1_000n)] }, stake(2, 'ann', 900n, 800n)];
  const trail = await ask(story);
  expect(trail.end).toMatchObject({ reason: 'dex_swap', position: { issuer: 'Jito' } });
  expect(partsOfEnd(trail)).toEqual([
    { outcome: 'position', amountRaw: 900n },
    { outcome: 'other', amountRaw: 100n },
  ]);
  const graph = await askGraph(story, { starts: [startAt('alice')] });
  expect(sums(graph)).toEqual({ position: 900n, at_rest: 100n });
  expect(graph.ends).toMatchObject([{ reason: 'dex_swap', position: { issuer: 'Jito' } }]);
});

test('a position is followed on when its receipt is paid back, with what it earned, and both transactions are told', async () => {
  const story = [
    { time: 1, moves: [move('alice', 'ann', 1_000n)] },
    stake(2, 'ann', 1_000n, 800n),
    unstake(1_000, 'ann', 800n, 1_050n),
    { time: 1_001, moves: [move('ann', 'bea', 1_050n)] },
  ];
  const trail = await ask(story);
  expect(trail.hops.map(({ from, to }) => `${from}>${to}`)).toEqual(['alice>ann', 'ann>bea']);
  expect(trail.hops[1]?.positions).toEqual([
    { receipt: JITO, signatures: ['tx-2-0', 'tx-1000-0'], amountRaw: 1_050n, timeUnixSeconds: 1_000 },
  ]);
  expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'bea' });
  const graph = await askGraph(story, { starts: [startAt('alice')] });
  const edges = graph.edges.map(({ from, to, tracedRaw }) => `${from}>${to} ${tracedRaw}`);
  expect(edges.sort()).toEqual(['alice>ann 1000', 'ann>bea 1000']);
  expect(sums(graph)).toEqual({ at_rest: 1_000n });
  expect(graph.positions).toMatchObject([{ wallet: 'ann', signatures: ['tx-2-0', 'tx-1000-0'] }]);
});

test('what came back of a position is followed, the rest is still there, and others’ deposits do not count', async () => {
  const graph = await askGraph(
    [
      { time: 1, moves: [move('alice', 'ann', 1_000n)] },
      stake(2, 'ann', 1_000n, 1_000n),
      stake(3, 'eve', 5_000n, 5_000n),
      unstake(4, 'eve', 5_000n, 5_000n),
      unstake(1_000, 'ann', 400n, 400n),
      { time: 1_001, moves: [move('ann', 'bea', 400n)] },
    ],
    { starts: [startAt('alice')] },
  );
  expect(sums(graph)).toEqual({ position: 600n, at_rest: 400n });
  expect(graph.rests.map(({ address, amountRaw }) => `${address} ${amountRaw}`)).toEqual(['bea 400']);
});

test('an EVM contract that took the money and issued its own token is a position, an exchange through a pool is none', async () => {
  const chain = findChain('ethereum');
  if (chain === null) throw new Error('no ethereum');
  const swap = (from: string, through: string | null, to: string): StoryStep => ({
    time: 3,
    moves: [
      move(from, to, 500n),
      through === null
        ? move(null, from, 9n, { asset: '0xreceipt', kind: 'mint' })
        : move(through, from, 9n, { asset: '0xreceipt' }),
    ],
    swaps: [{ owner: from, gaveAsset: 'native', gaveRaw: 500n, gotAsset: '0xreceipt', gotRaw: 9n, through }],
  });
  const outcome = async (step: StoryStep) => {
    const request = { ...toFlowRequest(), chain };
    const story = [{ time: 2, moves: [move('victim', 'ann', 500n)] }, step];
    const { outcomes } = await askGraph(story, request, { '0xreceipt': { name: 'Lender', kind: 'other' } });
    return outcomes.map((sum) => sum.outcome);
  };
  expect(await outcome(swap('ann', null, '0xreceipt'))).toEqual(['position']);
  expect(await outcome(swap('ann', null, '0xother'))).toEqual(['dex_swap']);
  expect(await outcome(swap('ann', '0xpool', '0xpool'))).toEqual(['dex_swap']);
});

test('where fates cannot be read all counts as at rest, and the flow says so', async () => {
  const graph = await askGraph([...THEFT, freeze(4)], inDollars, {}, (reader) => ({
    ...reader,
    lost: () => Promise.reject(new ReadFailedError('unavailable')),
  }));
  expect(sums(graph)).toEqual({ at_rest: 1_000n });
  expect(graph.areFatesRead).toBe(false);
});

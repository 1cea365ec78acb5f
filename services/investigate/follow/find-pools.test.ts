import { expect, test } from 'vitest';
import { ask, followWith, path } from '../../testing/ask-follow.ts';
import { toFlowRequest } from '../../testing/ask-graph.ts';
import type { ControlPlan } from '../../testing/build-block.ts';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { findChain } from '../model/chain.ts';
import { followGraph } from './graph/follow-graph.ts';
import { POOL_PAYERS_MIN, POOL_SECONDS } from './rules.ts';

const T = 1_700_000_000;
const pays = (at: number, from: string, to: string, amountRaw: bigint, by = from): StoryStep => ({
  ...{ time: T + at, by, moves: [move(from, to, amountRaw)] },
});
const control = (
  at: number,
  told: Pick<ControlPlan, 'kind' | 'subject'> & Partial<ControlPlan>,
): StoryStep => ({
  ...{ time: T + at, by: 'someone' },
  controls: [{ holder: null, party: null, amountRaw: 1n, ...told }],
});
const CALLED = control(0, { kind: 'calls', subject: 'pool' });
const others = (count: number, amountRaw = 400n): StoryStep[] =>
  Array.from({ length: count }, (_, at) => pays(10 + at, `payer ${at}`, 'pool', amountRaw));
const withdraws = (at: number, to: string, amountRaw: bigint): StoryStep =>
  pays(at, 'pool', to, amountRaw, 'keeper');
const MANY = POOL_PAYERS_MIN;
/** The thief's is one payment among those of others; two strangers withdraw, one as much as he paid. */
const BRIDGE = [
  CALLED,
  ...others(MANY),
  pays(50, 'alice', 'pool', 1_000n),
  withdraws(60, 'stan', 30n),
  withdraws(70, 'bob', 999n),
];
const onEthereum = (story: readonly StoryStep[], more = {}) => ask(story, { chain: 'ethereum', ...more });

test('a trail ends at a contract that many others pay, and says why', async () => {
  const trail = await onEthereum(BRIDGE);
  expect(path(trail)).toEqual(['alice>pool']);
  expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'pool', holdingRaw: null });
  expect(trail.end.detail).toContain('a contract that many others pay');
  // Nobody has withdrawn, or many have in parts: the same.
  for (const after of [[], [1, 2, 3, 4, 5, 6].map((at) => withdraws(60 + at, `user ${at}`, 160n))])
    expect(path(await onEthereum([...BRIDGE.slice(0, -2), ...after]))).toEqual(['alice>pool']);
});

test('backward, a trail ends where a contract that many others pay paid', async () => {
  const trail = await onEthereum(BRIDGE, { start: 'bob', backward: true });
  expect([path(trail), trail.end.address, trail.end.why]).toEqual([['bob>pool'], 'pool', { type: 'pooled' }]);
});

test('it may be known by its creation, or be no more than labelled', async () => {
  const created = control(0, { kind: 'contract_created', subject: 'pool', holder: 'maker' });
  const [, ...rest] = BRIDGE;
  expect(path(await onEthereum([created, ...rest]))).toEqual(['alice>pool']);
  const named = await ask(rest, { chain: 'ethereum' }, { pool: { name: 'a fund', kind: 'contract' } });
  expect([path(named), named.end.why.type]).toEqual([['alice>pool'], 'pooled']);
});

test.each([
  ['no code is seen there', BRIDGE.slice(1)],
  ['few others pay it', [CALLED, ...others(MANY - 2), ...BRIDGE.slice(-3)]],
  ['others pay it dust', [CALLED, ...others(MANY, 0n), ...BRIDGE.slice(-3)]],
  [
    'it passes all on to one',
    [CALLED, ...others(MANY), pays(50, 'alice', 'pool', 1_000n), withdraws(70, 'bob', 999n)],
  ],
  [
    'its key delegated to code',
    [...BRIDGE, control(1, { kind: 'code_delegated', subject: 'pool', holder: 'pool' })],
  ],
  ['its owners sign what it does', [...BRIDGE, control(1, { kind: 'account_acted', subject: 'pool' })]],
])('a recipient is followed where %s', async (_, story) => {
  expect(path(await onEthereum(story))).toEqual(['alice>pool', 'pool>bob']);
});

test('what a contract pays on within the transaction is followed however many others pay it', async () => {
  const routed: StoryStep = {
    ...{ time: T + 50, by: 'alice' },
    moves: [move('alice', 'pool', 1_000n), move('pool', 'bob', 990n)],
  };
  const trail = await onEthereum([
    CALLED,
    ...others(MANY),
    routed,
    withdraws(60, 'stan', 30n),
    withdraws(70, 'zoe', 900n),
  ]);
  expect(path(trail)).toEqual(['alice>bob']);
});

test('who asks about such a contract itself is told what left it', async () => {
  expect(path(await onEthereum(BRIDGE, { start: 'pool' }))).not.toEqual([]);
});

const followAll = (story: readonly StoryStep[]) => {
  const chain = findChain('ethereum');
  if (chain === null) throw new Error('no ethereum');
  const starts = [{ start: 'alice', atUnixSeconds: null, amount: null, counterparty: null }];
  const reader = createMemoryReader(tellStory('ethereum', story));
  return followGraph(toFlowRequest({ chain, starts }), followWith(reader));
};

test.each([
  ['a crumb', T + 55, 10n],
  ['a payment of another year', T + 2 * POOL_SECONDS, 500_000n],
])('in a flow, %s beside it lets no more payers count', async (_, time, amountRaw) => {
  const long = { ...pays(0, 'alice', 'zoe', amountRaw), time };
  const late = Array.from({ length: MANY }, (_, at) => ({
    ...pays(0, `late payer ${at}`, 'pool', 400_000n),
    time: T + 2 * POOL_SECONDS + at,
  }));
  const graph = await followAll([
    ...[CALLED, ...others(MANY, 50n), pays(50, 'alice', 'pool', 1_000_000n), long],
    ...[pays(60, 'pool', 'bob', 600_000n), pays(70, 'pool', 'carl', 399_000n), ...late],
  ]);
  expect(graph.nodes.map(({ address }) => address)).toContain('bob');
});

test('a whole flow ends there, too, and names no stranger', async () => {
  const graph = await followAll(BRIDGE);
  expect(graph.nodes.map(({ address, end }) => [address, end])).toEqual([
    ['alice', null],
    ['pool', 'at_rest'],
  ]);
  expect(graph.coverage).toEqual({ takenRaw: 1_000n, endsRaw: 0n, restRaw: 1_000n, frontierRaw: 0n });
});

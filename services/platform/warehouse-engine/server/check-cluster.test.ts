import { expect, test } from 'vitest';
import { type ClusterFacts, lacksOf, warningsOf } from './check-cluster.ts';

const shard = (replicas: number) => ({ shard: 1, replicas, spreads: false });
const WHOLE: ClusterFacts = { shards: [shard(3)], macros: ['replica', 'shard'], hasKeeper: true };
const AUTO = { name: 'main', quorum: 'auto' } as const;

test('a cluster of three replicas that agree by a keeper lacks nothing', () => {
  expect([lacksOf(WHOLE, AUTO), warningsOf(WHOLE, AUTO)]).toEqual([[], []]);
});

test.each<[string, Partial<ClusterFacts>, RegExp]>([
  ['a name that no server knows', { shards: [] }, /no cluster named main/],
  ['no macro of the shard', { macros: ['replica'] }, /has no shard/],
  ['no macro of the replica', { macros: ['shard'] }, /has no replica/],
  ['no keeper', { hasKeeper: false }, /no zookeeper/],
  [
    'rows that are written to each replica',
    { shards: [{ ...shard(2), spreads: true }] },
    /shard 1 has no internal_replication/,
  ],
])('%s is one sentence', (_, change, sentence) => {
  expect(lacksOf({ ...WHOLE, ...change }, AUTO)).toEqual([expect.stringMatching(sentence)]);
});

test('more confirmations than there are replicas are a lack: nothing would ever be stored', () => {
  const lacks = (replicas: number, quorum: number) =>
    lacksOf({ ...WHOLE, shards: [shard(replicas)] }, { name: 'main', quorum });
  expect(lacks(2, 3)).toEqual(['shard 1 has 2 of the 3 replicas that CLICKHOUSE_QUORUM waits for']);
  expect([lacks(1, 2).length, lacks(2, 2).length, lacks(1, 1).length]).toEqual([1, 0, 0]);
});

test.each<[replicas: number, quorum: number | 'auto', isWarned: boolean]>([
  [1, 'auto', false],
  [2, 'auto', true],
  [2, 1, false],
  [3, 'auto', false],
  [3, 3, true],
])('%i replicas of which %s confirm: warned of an absence: %s', (replicas, quorum, isWarned) => {
  const warned = warningsOf({ ...WHOLE, shards: [shard(replicas)] }, { name: 'main', quorum });
  expect(warned.length > 0).toBe(isWarned);
});

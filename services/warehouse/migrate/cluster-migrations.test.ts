import { expect, test } from 'vitest';
import { toClusterStatements } from '../../platform/warehouse-engine/server/cluster-statements.ts';
import { splitStatements } from '../../platform/warehouse-engine/split-statements.ts';
import { readMigrations } from './migrate.ts';
import { shardingKeyOf } from './sharding-keys.ts';

const CLUSTER = { name: 'main', shardingKeyOf };
const tables = readMigrations()
  .flatMap(({ sql }) => splitStatements(sql))
  .map((query) => ({
    query,
    written: toClusterStatements({ query, query_params: { database: 'spoor' } }, CLUSTER, 'spoor'),
  }));
const made = (pattern: RegExp) =>
  tables.flatMap(({ written }) => written).flatMap(({ query }) => pattern.exec(query)?.[1] ?? []);

test('every table of rows has a replicated table in one database and a distributed one in the other', () => {
  const local = made(
    /^CREATE TABLE IF NOT EXISTS `spoor_local`\.`(\w+)` ON CLUSTER 'main'\s+\([\s\S]*ENGINE = Replicated\w*MergeTree/,
  );
  const distributed = made(
    /^CREATE TABLE IF NOT EXISTS `spoor`\.`(\w+)` ON CLUSTER 'main' AS[\s\S]*Distributed\('main', 'spoor_local', '\1', \S/,
  );
  expect(local.length).toBeGreaterThan(20);
  expect(distributed).toEqual(local);
});

test('what FINAL or a merge brings together lies on one shard: the sharding key is made of sorting columns', () => {
  for (const { query } of tables) {
    const engine = /ENGINE = ((?:Replacing|Aggregating)MergeTree)/.exec(query);
    if (!engine) continue;
    const table = /Identifier\}\.(\w+)/.exec(query)?.[1] ?? '';
    const order = /ORDER BY \(?([^)\n]+)\)?/
      .exec(query)?.[1]
      ?.split(/, */)
      .map((column) => column.replaceAll('`', ''));
    const sharded = (shardingKeyOf(table) ?? '').replace('cityHash64', '').replace(/[()]/g, '');
    expect(order, table).toContain(sharded);
  }
});

test('views and tables that keep nothing are the same on every server, and write where everybody asks', () => {
  const views = tables
    .flatMap(({ written }) => written)
    .filter(({ query }) => /^CREATE (MATERIALIZED )?VIEW/.test(query));
  expect(views.length).toBeGreaterThan(5);
  for (const { query } of views) expect(query).not.toContain('_local');
  for (const query of tables.map((t) => t.query).filter((q) => q.includes('ENGINE = Null')))
    expect(tables.find((t) => t.query === query)?.written).toHaveLength(1);
});

test('only tables whose batches carry a token leave out what they have seen', () => {
  for (const {
    query,
    written: [local],
  } of tables) {
    if (!/ENGINE = \w*MergeTree/.test(query)) continue;
    const isTokened = query.includes('non_replicated_deduplication_window = 10000');
    expect(local?.query).toContain(`replicated_deduplication_window = ${isTokened ? 10000 : 0}`);
    expect(local?.query).not.toContain('non_replicated');
  }
});

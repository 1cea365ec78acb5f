import { expect, test } from 'vitest';
import { ClusterStatementError, toClusterStatements } from './cluster-statements.ts';

const CLUSTER = {
  name: "ma'in",
  shardingKeyOf: (table: string) => (table === 'rows' ? 'cityHash64(who)' : undefined),
};
const rewrite = (query: string, query_params = {}) =>
  toClusterStatements({ query, query_params }, CLUSTER, 'spoor').map((s) =>
    s.query.replace(/\s+/g, ' ').trim(),
  );

const PATH = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'";
const ON = "ON CLUSTER 'ma\\'in'";

test('a table of rows is a replicated one on every server and a distributed one under its name', () => {
  const query = `CREATE TABLE IF NOT EXISTS {database:Identifier}.rows (who String COMMENT 'ENGINE = Null', n UInt8)
    ENGINE = ReplacingMergeTree(n, who) ORDER BY (who, n)
    SETTINGS index_granularity = 64, non_replicated_deduplication_window = 1000 COMMENT 'derived'`;
  expect(rewrite(query, { database: 'b' })).toEqual([
    `CREATE TABLE IF NOT EXISTS \`b_local\`.\`rows\` ${ON} (who String COMMENT 'ENGINE = Null', n UInt8) ` +
      `ENGINE = ReplicatedReplacingMergeTree(${PATH}, n, who) ORDER BY (who, n) SETTINGS index_granularity = 64, ` +
      "replicated_deduplication_window_seconds = 604800, replicated_deduplication_window = 1000 COMMENT 'derived'",
    `CREATE TABLE IF NOT EXISTS \`b\`.\`rows\` ${ON} AS \`b_local\`.\`rows\` ` +
      "ENGINE = Distributed('ma\\'in', 'b_local', 'rows', cityHash64(who)) COMMENT 'derived'",
  ]);
});

test.each([
  ['', " SETTINGS replicated_deduplication_window = 0 COMMENT 'x'"],
  [
    ' SETTINGS fsync_after_insert = 1',
    " SETTINGS replicated_deduplication_window = 0, fsync_after_insert = 1 COMMENT 'x'",
  ],
])('a table that takes the same fact again and again does so on a cluster, too (%j)', (settings, written) => {
  const [local] = rewrite(
    `CREATE TABLE rows (who String) ENGINE = MergeTree ORDER BY who${settings} COMMENT 'x'`,
  );
  expect(local).toContain(`ENGINE = ReplicatedMergeTree(${PATH}) ORDER BY who${written}`);
});

test.each([
  [
    'CREATE TABLE {d:Identifier}.t (n UInt8) ENGINE = Null',
    `CREATE TABLE \`x\`.\`t\` ${ON} (n UInt8) ENGINE = Null`,
  ],
  ['CREATE VIEW IF NOT EXISTS v AS SELECT 1', `CREATE VIEW IF NOT EXISTS \`v\` ${ON} AS SELECT 1`],
  ['CREATE OR REPLACE VIEW x.v AS SELECT 1', `CREATE OR REPLACE VIEW \`x\`.\`v\` ${ON} AS SELECT 1`],
  ['DROP VIEW IF EXISTS `x`.`v`', `DROP VIEW IF EXISTS \`x\`.\`v\` ${ON}`],
  [
    'CREATE MATERIALIZED VIEW x.v TO x.t AS SELECT 1',
    `CREATE MATERIALIZED VIEW \`x\`.\`v\` ${ON} TO x.t AS SELECT 1`,
  ],
  ['DELETE FROM {t:Identifier} WHERE n = 1', `DELETE FROM \`spoor_local\`.\`rows\` ${ON} WHERE n = 1`],
  ['TRUNCATE TABLE rows', `TRUNCATE TABLE \`spoor_local\`.\`rows\` ${ON}`],
])('%s', (query, written) => {
  expect(rewrite(query, { d: 'x', t: 'rows' })).toEqual([written]);
});

test('both databases are made and dropped together, on all servers', () => {
  expect(rewrite('DROP DATABASE IF EXISTS {d:Identifier} SYNC', { d: 'x' })).toEqual([
    `DROP DATABASE IF EXISTS \`x\` ${ON} SYNC`,
    `DROP DATABASE IF EXISTS \`x_local\` ${ON} SYNC`,
  ]);
});

test('how rows are kept is set where they lie', () => {
  expect(
    rewrite('ALTER TABLE {database:Identifier}.rows MODIFY SETTING lazy = 0', { database: 'b' }),
  ).toEqual([`ALTER TABLE \`b_local\`.\`rows\` ${ON} MODIFY SETTING lazy = 0`]);
});

test('a column changes where the rows lie, then where they are asked for; of a table without rows, once', () => {
  const change = (table: string) => `ALTER TABLE {database:Identifier}.${table} MODIFY COLUMN n UInt8`;
  expect(rewrite(change('rows'), { database: 'b' })).toEqual([
    `ALTER TABLE \`b_local\`.\`rows\` ${ON} MODIFY COLUMN n UInt8`,
    `ALTER TABLE \`b\`.\`rows\` ${ON} MODIFY COLUMN n UInt8`,
  ]);
  expect(rewrite(change('rows_in'), { database: 'b' })).toEqual([
    `ALTER TABLE \`b\`.\`rows_in\` ${ON} MODIFY COLUMN n UInt8`,
  ]);
});

test.each(['INSERT INTO rows SELECT 1', 'SELECT 1', 'WITH 1 AS n SELECT n'])('%s stays as it is', (query) => {
  expect(toClusterStatements({ query }, CLUSTER, 'spoor')).toEqual([{ query }]);
});

test.each([
  'ALTER TABLE rows ADD COLUMN n UInt8',
  'CREATE DICTIONARY d (n UInt8) PRIMARY KEY n',
  'CREATE TABLE other (n UInt8) ENGINE = MergeTree ORDER BY n',
  'CREATE TABLE rows (n UInt8) ENGINE = Memory',
])('%s is refused: nobody has said what it means on a cluster', (query) => {
  expect(() => rewrite(query)).toThrow(ClusterStatementError);
});

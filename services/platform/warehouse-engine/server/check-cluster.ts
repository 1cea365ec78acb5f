import type { ClickHouseServer } from '../../config/clickhouse.ts';
import type { WarehouseClient } from '../warehouse.ts';
import { WarehouseRefusedError } from '../warehouse-errors.ts';

/** What a server says of its cluster. */
export type ClusterFacts = {
  readonly shards: readonly {
    readonly shard: number;
    readonly replicas: number;
    readonly spreads: boolean;
  }[];
  readonly macros: readonly string[];
  readonly hasKeeper: boolean;
};

type Named = { readonly name: string } & Pick<ClickHouseServer, 'quorum'>;

/** What the tables cannot be made without, a sentence each. */
export const lacksOf = ({ shards, macros, hasKeeper }: ClusterFacts, { name, quorum }: Named): string[] => {
  if (shards.length === 0) return [`remote_servers of the server has no cluster named ${name}`];
  const lacks = ['shard', 'replica']
    .filter((macro) => !macros.includes(macro))
    .map((macro) => `macros of the server has no ${macro}, so replicas do not know their place`);
  for (const { shard, replicas, spreads } of shards)
    if (replicas > 1 && spreads)
      lacks.push(
        `shard ${shard} has no internal_replication, so each row would be written to every replica twice`,
      );
  for (const { shard, replicas } of shards)
    if (needed(replicas, quorum) > replicas)
      lacks.push(`shard ${shard} has ${replicas} of the ${quorum} replicas that CLICKHOUSE_QUORUM waits for`);
  if (!hasKeeper) lacks.push('the server has no zookeeper, by which replicas agree');
  return lacks;
};

/** What works now, but not while a replica is away. */
export const warningsOf = ({ shards }: ClusterFacts, { quorum }: Named): string[] =>
  shards
    .filter(({ replicas }) => replicas > 1 && needed(replicas, quorum) === replicas)
    .map(
      ({ shard, replicas }) =>
        `shard ${shard} stores nothing while one of its ${replicas} replicas is away: give it a third, or set CLICKHOUSE_QUORUM=1`,
    );

const needed = (replicas: number, quorum: Named['quorum']): number =>
  quorum === 'auto' ? Math.floor(replicas / 2) + 1 : quorum;

const FACTS = `SELECT
  (SELECT groupArray((shard_num, replicas, spreads)) FROM (
    SELECT shard_num, count() AS replicas, min(internal_replication) = 0 AS spreads
    FROM system.clusters WHERE cluster = {name:String} GROUP BY shard_num ORDER BY shard_num)) AS shards,
  (SELECT groupArray(macro) FROM system.macros) AS macros,
  (SELECT count() > 0 FROM system.tables WHERE database = 'system' AND name = 'zookeeper') AS has_keeper`;

type Row = [shards: [number, string, number][], macros: string[], hasKeeper: number];

/** Throws `WarehouseRefusedError` with every lack of the server's configuration. Returns warnings. */
export const checkCluster = async (
  client: Pick<WarehouseClient, 'query'>,
  cluster: Named,
): Promise<string[]> => {
  const { name } = cluster;
  const answer = await client.query({ query: FACTS, query_params: { name }, format: 'JSONCompactEachRow' });
  const [[shards, macros, hasKeeper] = [[], [], 0]] = await answer.json<Row>();
  const facts: ClusterFacts = {
    shards: shards.map(([shard, replicas, spreads]) => ({
      ...{ shard, replicas: Number(replicas), spreads: spreads === 1 },
    })),
    macros,
    hasKeeper: hasKeeper === 1,
  };
  const lacks = lacksOf(facts, cluster);
  if (lacks.length > 0)
    throw new WarehouseRefusedError(
      `the cluster of CLICKHOUSE_CLUSTER cannot hold the tables (infra/clickhouse/cluster.example.yaml shows how): ${lacks.join('; ')}`,
    );
  return warningsOf(facts, cluster);
};

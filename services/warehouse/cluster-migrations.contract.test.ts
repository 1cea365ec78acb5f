import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Session } from 'chdb';
import { afterAll, expect, test } from 'vitest';
import { createBlockEncoder } from '../events/encode-block.ts';
import { loadSchema } from '../platform/avro/schemas.ts';
import { splitRecord } from '../platform/avro/wire-format.ts';
import {
  type Statement,
  toClusterStatements,
} from '../platform/warehouse-engine/server/cluster-statements.ts';
import { CLUSTER_SETTINGS } from '../platform/warehouse-engine/server/connect-server-warehouse.ts';
import { quoteString } from '../platform/warehouse-engine/sql-tokens.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { buildBlock } from '../testing/build-block.ts';
import { migrate } from './migrate.ts';
import { VISIBLE_ROWS } from './read/visible-rows.ts';
import { shardingKeyOf } from './sharding-keys.ts';
import { deleteRetracted } from './sink/delete-retracted.ts';
import { hideRetracted } from './sink/hide-retracted.ts';
import { insertBlockTransfers } from './sink-insert.ts';

// The engine as a cluster of one server with real distributed tables. It has neither a queue for statements on all servers
// nor other replicas: ON CLUSTER and Replicated are read by its parser, and left out of what it runs.
const CONFIG = `<clickhouse>
<remote_servers><main><shard><internal_replication>true</internal_replication>
  <replica><host>127.0.0.1</host><port>9000</port></replica>
</shard></main></remote_servers>
</clickhouse>`;

const folder = mkdtempSync(join(tmpdir(), 'spoor-cluster-'));
writeFileSync(join(folder, 'config.xml'), CONFIG);
const keeper = new Session(join(folder, 'data'), {
  connectionArgs: [`--config-file=${join(folder, 'config.xml')}`, '--tcp_port=9000'],
});
afterAll(() => {
  keeper.close();
  rmSync(folder, { recursive: true, force: true });
});

type Request = Statement & { readonly clickhouse_settings?: object };

const literal = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map((item) => (typeof item === 'string' ? quoteString(item) : item)).join()}]`
    : String(value);

const run = (text: string, request: Request): string => {
  // It listens on no port, so it must reach its own shard without one; and it has no other replica to wait for.
  const alone = { prefer_localhost_replica: 1, insert_quorum: 0 };
  const settings = { ...CLUSTER_SETTINGS, ...request.clickhouse_settings, ...alone };
  const assignments = [
    ...Object.entries(settings).map(([name, value]) => `${name} = ${quoteString(String(value))}`),
    ...Object.entries(request.query_params ?? {}).map(
      ([name, v]) => `param_${name} = ${quoteString(literal(v))}`,
    ),
  ];
  const session = new Session(join(folder, 'data'));
  try {
    return session.query(`SET ${assignments.join()}; ${text}`, 'JSONCompactEachRow');
  } finally {
    session.close();
  }
};

let database = 'system';
const rows = (query: string, request: Omit<Request, 'query'> = {}): unknown[][] =>
  run(`USE ${database}; ${query}`, { query, ...request })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown[]);

const aloneOf = (query: string): string =>
  query
    .replace(" ON CLUSTER 'main'", '')
    .replace(/Replicated(\w*MergeTree)\('[^']*', '[^']*'(, )?/, '$1(')
    .replace(/replicated_deduplication_window_seconds = \d+, |(?=replicated_deduplication_window = 0)/, '')
    .replace(/\breplicated_deduplication_window\b/, 'non_replicated_deduplication_window');

/** What of a client migrations and the sink use, as a client on a cluster does it. */
const writer = {
  command: async (request: Request) => {
    for (const statement of toClusterStatements(request, { name: 'main', shardingKeyOf }, 'spoor')) {
      if (/^(CREATE|DROP|DELETE)/.test(statement.query)) run(`EXPLAIN AST ${statement.query}`, request);
      rows(aloneOf(statement.query), request);
    }
  },
  query: async (request: Request) => ({ json: async () => rows(request.query, request) }),
  exec: async ({ query, values, ...request }: Request & { values: NodeJS.ReadableStream }) => {
    const file = join(folder, 'batch.avro');
    writeFileSync(file, await buffer(values));
    rows(query.replace('FORMAT Avro', `SELECT * FROM file(${quoteString(file)}, Avro)`), { ...request });
    return { stream: (await import('node:stream')).Readable.from([]) };
  },
} as unknown as WarehouseClient;

const schema = loadSchema('BlockTransfers');
const encode = createBlockEncoder(schema, 1);
const block = (number: number) =>
  buildBlock({
    chain: 'solana',
    number,
    timeUnixSeconds: 1_700_000_000,
    transactions: [
      {
        hash: `tx-${number}`,
        sender: 'a',
        movements: [
          { from: 'a', to: 'b', amountRaw: 5n },
          { from: 'b', to: 'c', amountRaw: 3n },
        ],
      },
    ],
    assets: [{ asset: 'token', decimals: 6 }],
  });
const insert = (number: number) =>
  insertBlockTransfers(writer, {
    records: encode(block(number)).map((record) => ({ sequence: number, avro: splitRecord(record).body })),
    token: `batch-${number}`,
  });
const count = (table: string, where = VISIBLE_ROWS) =>
  Number(rows(`SELECT count() FROM ${table} WHERE ${where}`)[0]?.[0]);

test('on a cluster the migrations run, a repeated batch changes nothing, and rows are hidden and deleted where they lie', async () => {
  await writer.command({
    query: 'CREATE DATABASE {database:Identifier} ENGINE = Atomic',
    query_params: { database: 'spoor' },
  });
  database = 'spoor';
  expect((await migrate({ writer, database })).length).toBeGreaterThan(5);
  expect(await migrate({ writer, database })).toEqual([]);
  const engines = rows(
    "SELECT DISTINCT database, engine LIKE '%MergeTree' OR engine IN ('Distributed', 'Null') OR engine LIKE '%View' FROM system.tables WHERE database LIKE 'spoor%'",
  );
  expect(engines.toSorted()).toEqual([
    ['spoor', 1],
    ['spoor_local', 1],
  ]);

  for (const number of [1, 2, 1, 2]) await insert(number);
  const seen = () => ['blocks', 'transfers', 'account_entries', 'transactions'].map((table) => count(table));
  expect(seen()).toEqual([2, 4, 8, 2]);
  expect(rows('SELECT asset FROM assets FINAL')).toEqual([['token']]);
  expect(count('account_entries', `address = 'b' AND ${VISIBLE_ROWS}`)).toBe(4);

  await hideRetracted(writer, [2]);
  expect(seen()).toEqual([1, 2, 4, 1]);
  expect(count('transfers', '1')).toBe(4);
  await deleteRetracted(writer, { slot: 2, atOnce: 1 });
  expect(count('transfers', '1')).toBe(2);
  expect(count('retracted', '1')).toBe(0);
});

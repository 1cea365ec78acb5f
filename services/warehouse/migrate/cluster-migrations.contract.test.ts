import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Session } from 'chdb';
import { afterAll, expect, test } from 'vitest';
import { checkColumns } from '../../events/check-columns.ts';
import { createBlockEncoder } from '../../events/encode-block.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { bothSides } from '../../investigate/model/trace-reader.ts';
import { splitRecord } from '../../platform/avro/wire-format.ts';
import {
  type Statement,
  toClusterStatements,
} from '../../platform/warehouse-engine/server/cluster-statements.ts';
import { CLUSTER_SETTINGS } from '../../platform/warehouse-engine/server/connect-server-warehouse.ts';
import { sendBody } from '../../platform/warehouse-engine/server/send-body.ts';
import { quoteString } from '../../platform/warehouse-engine/sql-tokens.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { VISIBLE_ROWS } from '../clauses/visible-rows.ts';
import { deriveFacts } from '../derive/derive-facts.ts';
import { diagnose } from '../doctor.ts';
import { fingerprintTables } from '../fingerprint.ts';
import { copyServiceEntries } from '../labels/copy-service-entries.ts';
import { createControlReader } from '../read/create-control-reader.ts';
import { createTraceReader } from '../read/create-trace-reader.ts';
import { createTransferReader } from '../read/create-transfer-reader.ts';
import { deleteRetracted } from '../sink/delete-retracted.ts';
import { hideRetracted } from '../sink/hide-retracted.ts';
import { insertBlockTransfers } from '../sink/insert-block-transfers.ts';
import { migrate } from './migrate.ts';
import { shardingKeyOf } from './sharding-keys.ts';

// The engine as a cluster of one server with real distributed tables. It has neither a queue for statements on all servers
// nor other replicas: ON CLUSTER and Replicated are read by its parser, and left out of what it runs.
const SHARD = '<shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>';
// On two shards that are the same server rows would count twice, but what cannot be asked of several is refused.
const CONFIG = `<clickhouse><remote_servers>
  <main>${SHARD}</main>
  <twice>${SHARD}${SHARD}</twice>
</remote_servers></clickhouse>`;

const folder = mkdtempSync(join(tmpdir(), 'spoor-cluster-'));
writeFileSync(join(folder, 'config.xml'), CONFIG);
const keeper = new Session(join(folder, 'data'), {
  connectionArgs: [`--config-file=${join(folder, 'config.xml')}`, '--tcp_port=9000'],
});
afterAll(() => {
  keeper.close();
  rmSync(folder, { recursive: true, force: true });
});

type Request = Statement & { readonly clickhouse_settings?: object; readonly format?: string };

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
    return session.query(`SET ${assignments.join()}; ${text}`, request.format ?? 'JSONCompactEachRow');
  } finally {
    session.close();
  }
};

const rowsIn = (database: string, request: Request): unknown[] =>
  run(`USE ${database}; ${request.query}`, request)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

const aloneOf = (query: string): string =>
  query
    .replace(/ ON CLUSTER '\w+'/, '')
    .replace(/Replicated(\w*MergeTree)\('[^']*', '[^']*'(, )?/, '$1(')
    .replace(/replicated_deduplication_window_seconds = \d+, |(?=replicated_deduplication_window = 0)/, '')
    .replace(/\breplicated_deduplication_window\b/, 'non_replicated_deduplication_window');

/** A client as far as the code here uses it, which makes of statements what a client on that cluster does. */
const connect = async (name: 'main' | 'twice', database: string): Promise<WarehouseClient> => {
  let current = 'system';
  const client = {
    command: async (request: Request) => {
      for (const statement of toClusterStatements(request, { name, shardingKeyOf }, database)) {
        if (/^(CREATE|DROP|DELETE|TRUNCATE)/.test(statement.query))
          run(`EXPLAIN AST ${statement.query}`, request);
        rowsIn(current, { ...request, query: aloneOf(statement.query) });
      }
    },
    query: async (request: Request) => ({
      json: async () => {
        if (request.format !== 'JSONCompact') return rowsIn(current, request);
        return { data: rowsIn(current, { ...request, format: 'JSONCompactEachRow' }) };
      },
    }),
    exec: async ({ query, values, ...request }: Request & { values: NodeJS.ReadableStream }) => {
      const file = join(folder, 'batch.avro');
      writeFileSync(file, await buffer(values));
      const fromFile = query.replace('FORMAT Avro', `SELECT * FROM file(${quoteString(file)}, Avro)`);
      rowsIn(current, { ...request, query: fromFile });
      return { stream: Readable.from([]) };
    },
    // What migrations, sink and readers use of a client, and no more. A client is the vendor's class with private members, which
    // nothing else can be without a cast; one of its own would need a port, and chDB in this process listens on none.
  } as unknown as WarehouseClient;
  const query = 'CREATE DATABASE {database:Identifier} ENGINE = Atomic';
  await client.command({ query, query_params: { database } });
  current = database;
  return client;
};

const encode = createBlockEncoder(1);
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
        controlEvents: [{ kind: 'approval', subject: 'token', holder: 'a', party: 'b' }],
      },
    ],
    assets: [{ asset: 'token', decimals: 6 }],
  });
const insert = (writer: WarehouseClient, number: number) =>
  insertBlockTransfers(
    { insertBody: (insert) => sendBody(writer, insert) },
    {
      records: encode(block(number)).map((record) => {
        const avro = splitRecord(record).body;
        return { sequence: number, avro, ...checkColumns(avro) };
      }),
      token: `batch-${number}`,
    },
  );
const limits = { signal: new AbortController().signal, timeoutMs: 10_000 };
const chain = 'solana';
const derive = (writer: WarehouseClient, end = 2) =>
  deriveFacts(writer, {
    lanes: [{ lane: 1, end }],
    depth: () => 0,
    signal: limits.signal,
  });

test('on a cluster a repeated batch changes nothing, and rows are hidden and deleted where they lie', async () => {
  const writer = await connect('main', 'spoor');
  expect((await migrate({ writer, database: 'spoor' })).length).toBeGreaterThan(5);
  expect(await migrate({ writer, database: 'spoor' })).toEqual([]);
  const ask = async (query: string) => rowsIn('spoor', { query });
  const count = async (table: string, where = VISIBLE_ROWS) => {
    const [row] = (await ask(`SELECT count() FROM ${table} WHERE ${where}`)) as [string][];
    return Number(row?.[0]);
  };

  for (const number of [1, 2, 1, 2]) await insert(writer, number);
  const seen = () =>
    Promise.all(
      ['blocks', 'transfers', 'account_entries', 'transactions', 'control_entries', 'control_blocks'].map(
        (t) => count(t),
      ),
    );
  expect(await seen()).toEqual([2, 4, 8, 2, 6, 2]);
  expect(await ask('SELECT asset FROM assets FINAL')).toEqual([['token']]);
  expect(await createTransferReader(writer).balance({ chain, wallet: 'b', family: NATIVE, ...limits })).toBe(
    4n,
  );
  await derive(writer);
  expect(
    await ask('SELECT wallet, min(first).funder FROM first_funders GROUP BY wallet ORDER BY wallet'),
  ).toEqual([
    ['b', 'a'],
    ['c', 'b'],
  ]);

  await hideRetracted(writer, [2]);
  expect(await seen()).toEqual([1, 2, 4, 1, 3, 1]);
  expect(await count('transfers', '1')).toBe(4);
  await deleteRetracted(writer, { ends: [{ slot: 2, end: 3 }], atOnce: 1 });
  expect(await count('transfers', '1')).toBe(2);
  expect(await count('retracted', '1')).toBe(0);
});

test('whatever is derived and asked can be asked of several shards', async () => {
  const writer = await connect('twice', 'pairs');
  await migrate({ writer, database: 'pairs' });
  await insert(writer, 1);
  await derive(writer);
  // What is new beside what was derived before, of the same partition.
  await insert(writer, 4_097);
  await derive(writer, 4_098);
  const a = 'a';
  const span = { fromUnixSeconds: 0, toUnixSeconds: 2_000_000_000 };
  const wallet = { chain, wallet: a, family: NATIVE, ...limits };
  const position = { blockTime: 1_700_000_000, blockNumber: 1, txIndex: 0 };
  const flows = { ...wallet, from: { ...position, step: 0 }, ownOnly: false, limit: 9 };
  const transfers = createTransferReader(writer);
  const traces = createTraceReader(writer);
  await transfers.departures(flows);
  await transfers.arrivals(flows);
  await transfers.familiesSent({ ...wallet, sinceUnixSeconds: 0 });
  await transfers.isKnown(wallet);
  await transfers.labels({ chain, addresses: [a], ...limits });
  await transfers.transactionHashes({ chain, positions: [position], ...limits });
  await traces.transaction({ chain, signature: 'tx-1', limit: 9, ...limits });
  await traces.services({ chain, addresses: [a], ...limits });
  await traces.serviceWallets({ chain, entity: 'x', limit: 9, ...limits });
  await traces.serviceTransfers({
    ...wallet,
    ...span,
    entity: 'x',
    direction: 'in',
    minRaw: 0n,
    maxRaw: 9n,
    limit: 9,
  });
  await traces.walletTransfers({ ...wallet, ...span, direction: 'out', limit: 9 });
  await traces.neighbours({
    chain,
    sides: bothSides([a]),
    families: [NATIVE],
    leastRaw: [1n],
    perSideMax: 9,
    ...limits,
  });
  const control = createControlReader(writer);
  const page = {
    chain,
    kinds: ['approval', 'calls'] as const,
    order: 'newest_first' as const,
    limit: 9,
    ...limits,
  };
  await control.eventsOfHolder({ ...page, address: a });
  await control.topCallers({ chain, program: 'token', rowsMax: 9, limit: 9, ...limits });
  await control.controlSpan({ chain, ...limits });
  await traces.indexedSpan({ chain, ...limits });
  await copyServiceEntries({ client: writer, untilStored: async () => {} });
  expect((await diagnose(writer)).chains).toMatchObject([{ chain, first: 1, last: 4_097 }]);
  expect(await fingerprintTables(writer)).not.toEqual([]);
});

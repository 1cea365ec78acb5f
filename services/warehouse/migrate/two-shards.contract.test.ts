import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkColumns } from '../../events/check-columns.ts';
import { createBlockEncoder } from '../../events/encode-block.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { bothSides } from '../../investigate/model/trace-reader.ts';
import { splitRecord } from '../../platform/avro/wire-format.ts';
import { sendBody } from '../../platform/warehouse-engine/send-body.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { startTwoShards, type TwoShards } from '../../testing/engines/two-shards.ts';
import { pagesOf } from '../../testing/flow-pages.ts';
import { TableStage } from '../../testing/table-stage.ts';
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
import { VISIBLE_ROWS } from '../sql-clauses.ts';
import { migrate } from './migrate.ts';

/** The same is done on two servers that are shards, and on one. */
const alone = new TableStage();
let shards: TwoShards;
let onShards: WarehouseClient;
beforeAll(async () => {
  shards = await startTwoShards();
  onShards = await shards.connect('spoor');
});
afterAll(async () => {
  await shards?.[Symbol.asyncDispose]();
});

const rowsIn = async (client: Pick<WarehouseClient, 'query'>, query: string): Promise<unknown[][]> => {
  const answer = await client.query({ query, format: 'JSONCompactEachRow' });
  return answer.json<unknown[]>();
};

const chain = 'solana';
const encode = createBlockEncoder(1);
/** Money out of `a`, over a wallet of each block to another: a shard has parts with rows of `a` alone. */
const block = (number: number) =>
  buildBlock({
    chain,
    number,
    timeUnixSeconds: 1_700_000_000 + number,
    transactions: [
      {
        hash: `tx-${number}`,
        sender: 'a',
        movements: [
          { from: 'a', to: `b${number}`, amountRaw: 5n },
          { from: `b${number}`, to: `c${number}`, amountRaw: 3n },
        ],
        controlEvents: [{ kind: 'approval', subject: 'token', holder: 'a', party: `b${number}` }],
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
const derive = (writer: WarehouseClient, end = 2) =>
  deriveFacts(writer, {
    lanes: [{ lane: 1, end }],
    depth: () => 0,
    signal: limits.signal,
  });

/** Every question there is, each about the same. */
const answersOf = async (writer: WarehouseClient): Promise<Record<string, unknown>> => {
  const wallets = ['a', 'b1', 'c1', 'b3', 'nobody'];
  const span = { fromUnixSeconds: 0, toUnixSeconds: 2_000_000_000 };
  const position = { blockTime: 1_700_000_001, blockNumber: 1, txIndex: 0 };
  const transfers = createTransferReader(writer);
  const traces = createTraceReader(writer);
  const control = createControlReader(writer);
  const page = {
    ...{ chain, kinds: ['approval', 'calls'] as const, order: 'newest_first' as const, limit: 9 },
  };
  const answers: Record<string, unknown> = {};
  for (const name of wallets) {
    const wallet = { chain, wallet: name, canonicalAsset: NATIVE, ...limits };
    const flows = { ...wallet, from: { ...position, step: 0 }, ownOnly: false, limit: 9 };
    const of = { chain, canonicalAsset: NATIVE, limit: 9 };
    const got = { ...of, entity: 'x', direction: 'in' } as const;
    answers[name] = [
      await pagesOf(transfers)(flows),
      await pagesOf(transfers, 'arrivals')(flows),
      await transfers.balance({ chain, canonicalAsset: NATIVE }, [name], limits),
      await transfers.assetsSent({ ...wallet, sinceUnixSeconds: 0 }),
      await transfers.isKnown({ chain }, [name], limits),
      await traces.serviceTransfers(got, [{ ...span, minRaw: 0n, maxRaw: 9n }], limits),
      await traces.walletTransfers({ ...of, direction: 'out' }, [{ ...span, wallet: name }], limits),
      await control.eventsOfHolder(page, [{ address: name }], limits),
    ];
  }
  const around = { chain, canonicalAssets: [NATIVE], leastRaw: [1n], perSideMax: 9 };
  return {
    ...answers,
    labels: await transfers.labels({ chain }, wallets, limits),
    hashes: await transfers.transactionHashes({ chain }, [position], limits),
    transaction: await traces.transaction({ chain, limit: 9 }, ['tx-3'], limits),
    services: await traces.services({ chain }, wallets, limits),
    serviceWallets: await traces.serviceWallets({ chain, limit: 9 }, ['x'], limits),
    neighbours: await traces.neighbours(around, bothSides(wallets), limits),
    callers: await control.topCallers({ chain, rowsMax: 9, limit: 9 }, ['token'], limits),
    controlSpan: await control.controlSpan({}, [chain], limits),
    span: await traces.indexedSpan({}, [chain], limits),
    chains: (await diagnose(writer)).chains,
    funders: await rowsIn(
      writer,
      'SELECT wallet, min(first).funder FROM first_funders GROUP BY wallet ORDER BY wallet',
    ),
    tables: await fingerprintTables(writer),
  };
};

const fill = async (writer: WarehouseClient) => {
  for (let number = 1; number < 7; number++) await insert(writer, number);
  await derive(writer, 7);
  // What is new beside what was derived before, of the same partition.
  await insert(writer, 4_097);
  await derive(writer, 4_098);
  await hideRetracted(writer, [2]);
  await copyServiceEntries({ client: writer, untilStored: async () => {} });
};

test('two shards answer every question as one server does, over rows of which each holds some', async () => {
  expect((await migrate({ writer: onShards, database: 'spoor' })).length).toBeGreaterThan(5);
  expect(await migrate({ writer: onShards, database: 'spoor' })).toEqual([]);
  for (const writer of [onShards, alone.warehouse.writer]) await fill(writer);
  const answers = await answersOf(onShards);
  expect(answers).toEqual(await answersOf(alone.warehouse.writer));
  expect(answers.a).not.toEqual(answers.nobody);
  for (const table of ['account_entries', 'transfers', 'first_funders'])
    for (const { writer } of shards.servers)
      expect([table, await rowsIn(writer, `SELECT count() > 0 FROM spoor_local.${table}`)]).toEqual([
        table,
        [[1]],
      ]);
});

test('a repeated batch changes nothing on two shards, and what is hidden is deleted where it lies', async () => {
  const before = await fingerprintTables(onShards);
  for (const number of [1, 6, 4_097]) await insert(onShards, number);
  expect(await fingerprintTables(onShards)).toEqual(before);
  const count = async (table: string, where: string) => {
    const [row] = await rowsIn(onShards, `SELECT count() FROM ${table} WHERE ${where}`);
    return Number(row?.[0]);
  };
  const all = [
    ...['blocks', 'transfers', 'account_entries', 'transactions', 'control_entries', 'control_blocks'],
  ];
  const seen = (where: string) => Promise.all(all.map((table) => count(table, where)));
  expect(await seen('1')).toEqual([7, 14, 28, 7, 14, 7]);
  expect(await seen(VISIBLE_ROWS)).toEqual([6, 12, 24, 6, 12, 6]);
  await deleteRetracted(onShards, { ends: [{ slot: 2, end: 3 }], atOnce: 1 });
  expect(await seen('1')).toEqual([6, 12, 24, 6, 12, 6]);
  expect(await count('retracted', '1')).toBe(0);
});

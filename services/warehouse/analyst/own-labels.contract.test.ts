import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { beforeAll, expect, test } from 'vitest';
import { insertRows } from '../../platform/warehouse-engine/insert-rows.ts';
import { readPage } from '../../testing/analysts-page.ts';
import { askAnalyst } from '../../testing/ask-analyst.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { runToEnd } from '../../testing/engines/run-to-end.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { makeViews } from './make-views.ts';

const WALLET = '0x758482b6c7c349cd9f2b86863e8a39302800b49d';
const OTHER = `0x${'2'.repeat(40)}`;
const [, section = ''] = readPage().split('## Labels of your own');
const blockOf = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';

const stage = new TableStage({ ownEngine: true });
beforeAll(async () => {
  await makeViews(stage.warehouse);
  const row = {
    chain: 'ethereum',
    address: OTHER,
    entity: 'taker',
    kind: 'exchange',
    sequence: 1,
    removed: 0,
  };
  await insertRows(stage.warehouse.writer, 'service_wallets', [row]);
  const movements = [{ from: WALLET, to: OTHER, asset: 'native', amountRaw: 10n ** 18n }];
  const transactions = [{ hash: '0xabc', sender: WALLET, movements }];
  await stage.insert([
    buildBlock({ chain: 'ethereum', number: 1, timeUnixSeconds: 1_756_684_800, transactions }),
  ]);
});

test('labels of one’s own join as the page says, and only their wallets are read', async () => {
  const sql = blockOf('sql');
  expect(await askAnalyst(stage.warehouse, sql)).toMatchObject([['case 7', 'out', '1', null]]);
  const plan = (await askAnalyst(stage.warehouse, `EXPLAIN indexes = 1 ${sql}`)).join('\n');
  expect(plan).toMatch(/account_entries[\s\S]*address in \d+-element set/i);
});

test('a file of them joins by the line of the page', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'labels.csv'), `address,tag\n${WALLET},mine\n`);
  const { host, password } = new URL(stage.warehouse.analystUrl);
  const line = blockOf('sh').replace('HOST:PORT', host).replace('PASSWORD', password);
  expect(await runToEnd('sh', ['-c', line.replace('curl', 'curl -s')], folder)).toBe('mine\t1\n');
});

test('what a service moved comes with its hashes, between two times', async () => {
  const ask = (from: string, to: string) =>
    askAnalyst(
      stage.warehouse,
      `SELECT tx_hash, direction, counterparty, amount, is_internal
       FROM service(chain = 'ethereum', entity = 'taker', from = '${from}', to = '${to}')`,
    );
  expect(await ask('2025-09-01 00:00:00', '2025-09-01 00:00:01')).toEqual([
    ['0xabc', 'in', WALLET, '1', false],
  ]);
  expect(await ask('2025-08-31 00:00:00', '2025-09-01 00:00:00')).toEqual([]);
});

test('what is asked for as Parquet has exact amounts in the type that pandas reads as such', async () => {
  const { origin, username, password } = new URL(stage.warehouse.analystUrl);
  const answer = await fetch(`${origin}/?database=spoor_analyst`, {
    method: 'POST',
    headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': password },
    body: "SELECT amount FROM hops WHERE chain = 'ethereum' AND address != '' FORMAT Parquet",
  });
  const file = await answer.arrayBuffer();
  const { schema } = await parquetMetadataAsync(file);
  expect(schema.find(({ name }) => name === 'amount')).toMatchObject({
    ...{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 32 },
    ...{ converted_type: 'DECIMAL', precision: 76, scale: 18 },
  });
  expect(
    await parquetReadObjects({ file, compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) } }),
  ).toEqual([{ amount: 1 }, { amount: 1 }]);
});

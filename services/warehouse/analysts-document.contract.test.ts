import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createTransactionEncoder } from '../events/encode-block.ts';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { loadSchema } from '../platform/avro/schemas.ts';
import { blockOf, range, SinkStage } from '../testing/sink-stage.ts';

const DOCUMENT = readFileSync(new URL('../../docs/analysts.md', import.meta.url), 'utf8');
const CONDITION = /^AND (sequence NOT IN .*)$/m.exec(DOCUMENT)?.[1] ?? '';
const HEAD = 'transfers.head';
const stage = new SinkStage();

/** What stands in the document to be asked, as it stands there. */
const examples = (): string[] => [
  ...[...DOCUMENT.matchAll(/--data-binary '([^']*)'/g)].map(([, query = '']) =>
    query.replace('FORMAT PrettyCompact', ''),
  ),
  ...[...DOCUMENT.matchAll(/```sql\n([^`]*)```/g)].map(([, query = '']) => query),
];

/** The tables of which it says that the condition is needed. */
const conditioned = (): string[] => {
  const [, names = ''] = /Every question to ([^.]*) needs the condition/.exec(DOCUMENT) ?? [];
  return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
};

const ask = async (query: string): Promise<string> => {
  const url = new URL(stage.warehouse.analystUrl);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  for (const [name, value] of Object.entries({ chain: 'solana', address: 'wallet-1', funder: 'wallet-0' }))
    url.searchParams.set(`param_${name}`, value);
  const headers = { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password };
  const answer = await fetch(url, { method: 'POST', headers, body: query });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return text;
};

const answers = async (): Promise<Record<string, string>> => {
  const queries = [
    ...examples(),
    ...conditioned().map((table) => `SELECT count() FROM ${table} WHERE ${CONDITION}`),
  ];
  const answered: Record<string, string> = {};
  for (const query of queries) answered[query] = await ask(query);
  return answered;
};

/** A transaction that is there before its block. */
const aloneOf = async (block: DecodedBlock): Promise<Buffer> => {
  const schemaId = await stage.store.registry.register(loadSchema('TransactionTransfers'));
  const of = <T extends { readonly txIndex: number | null }>(rows: readonly T[]) =>
    rows.filter(({ txIndex }) => txIndex === 1);
  const record = createTransactionEncoder(schemaId)({
    ...block,
    transactions: of(block.transactions),
    movements: of(block.movements),
    swaps: of(block.swaps),
    bridgeTransfers: of(block.bridgeTransfers),
    controlEvents: of(block.controlEvents),
  });
  return record ?? Buffer.alloc(0);
};

test('what docs/analysts.md asks is answered without abandoned blocks and replaced transactions', async () => {
  const [first, second] = range(1, 2) as [DecodedBlock, DecodedBlock];
  const fork = { ...blockOf(2), hash: 'fork-2' };
  const third = blockOf(3);
  await stage.append([await aloneOf(third)]);
  await stage.append(stage.encoded(first, fork), 0, HEAD);
  await stage.drain();
  const taken = { chain: 'solana', blockNumber: 2, blockHash: 'fork-2', offsets: [1] };
  const back = stage.store.encodeRetraction(taken);
  await stage.append([back, ...stage.encoded(second)], 0, HEAD);
  await stage.append(stage.encoded(third));
  await stage.drain();
  const found = await answers();
  expect(examples().length).toBeGreaterThan(2);
  expect(conditioned().length).toBeGreaterThan(7);

  await stage.renew();
  await stage.append(stage.encoded(first, second, third));
  await stage.drain();
  expect(found).toEqual(await answers());
  const [total = ''] = examples();
  expect(found[total]).toContain('token');
});

test('docs/analysts.md says how to read each table that tells a row twice until its parts are merged', async () => {
  const rows = await stage.ask(`
    SELECT name FROM system.tables
    WHERE database = currentDatabase() AND match(engine, 'Replacing|Aggregating')`);
  const merging = new Set(rows.map(([name]) => String(name)));
  const told = [...DOCUMENT.matchAll(/^\| `(\w+)`.*$/gm)].filter(([, name = '']) => merging.has(name));
  expect(told.length).toBeGreaterThan(10);
  for (const [line] of told) expect(line).toMatch(/FINAL|GROUP BY/);
});

test('docs/analysts.md names every table whose rows can be taken back', async () => {
  const rows = await stage.ask(`
    SELECT DISTINCT table FROM system.columns
    WHERE database = currentDatabase() AND name = 'sequence' AND table IN (
      SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')`);
  const named = [...DOCUMENT.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  // Their events are of other topics, which take nothing back.
  const others = ['labels', 'service_wallets', 'asset_claims', 'imported_prices', 'ledger_entries'];
  const ofBlocks = rows.flatMap(([name]) => (others.includes(String(name)) ? [] : [String(name)]));
  expect(conditioned().toSorted()).toEqual(ofBlocks.filter((name) => named.includes(name)).toSorted());
});

import { beforeAll, expect, test } from 'vitest';
import { findChain } from '../../investigate/model/chain.ts';
import { bothSides, type TraceReader } from '../../investigate/model/trace-reader.ts';
import { granules, IndexStage } from '../../testing/index-stage.ts';
import { askTables } from './ask-tables.ts';
import { createPriceReader } from './assets/price.ts';
import { createTraceReader } from './create-trace-reader.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const solana = { chain: 'solana' };
const stage = new IndexStage();

/** An exchange of five thousand wallets, as an import of labels leaves its tables. */
const makeExchange = async (): Promise<void> => {
  const wallets = 'SELECT DISTINCT chain, address FROM account_entries ORDER BY address LIMIT 5000';
  await stage.warehouse.writer.command({
    query: `INSERT INTO service_wallets SELECT chain, address, 'ex', 'exchange', 1, 1, 0 FROM (${wallets})`,
  });
  await stage.warehouse.writer.command({
    query: `INSERT INTO service_entries SELECT chain, 'ex', direction, asset_family, amount, block_time, block_number,
      tx_index, index, address, counterparty, kind, is_sender, sequence
      FROM account_entries WHERE address IN (SELECT address FROM service_wallets)`,
  });
};

type TraceQuestion = (reader: TraceReader, wallets: readonly string[]) => Promise<unknown>;
const WEEK = { fromUnixSeconds: 1_700_000_010, toUnixSeconds: 1_700_604_810 };
const positions = [3, 190].map((blockNumber) => ({ blockTime: 0, blockNumber, txIndex: 1 }));
const TRACE_QUESTIONS: readonly (readonly [string, number, TraceQuestion])[] = [
  ['transaction', 1, (reader) => reader.transaction({ ...solana, limit: 10 }, ['any'], limits)],
  [
    ...(['transaction of some assets', 1] as const),
    (reader) => reader.transaction({ ...solana, canonicalAssets: ['native'], limit: 10 }, ['any'], limits),
  ],
  [
    ...(['transactionRows', 1] as const),
    (reader) =>
      reader.transactionRows({ ...solana, canonicalAssets: ['native'], limit: 10 }, positions, limits),
  ],
  ['services', 1, (reader, addresses) => reader.services(solana, addresses, limits)],
  ['labels', 1, (reader, addresses) => reader.labels(solana, addresses, limits)],
  [
    'serviceWallets',
    1,
    (reader) => reader.serviceWallets({ ...solana, limit: 1_000 }, ['service 7'], limits),
  ],
  [
    'serviceTransfers',
    1,
    (reader) =>
      reader.serviceTransfers(
        { ...solana, entity: 'ex', direction: 'out', canonicalAsset: 'native', limit: 1_000 },
        [{ ...WEEK, minRaw: 1_000_000_000_000n, maxRaw: 1_010_000_000_000n }],
        limits,
      ),
  ],
  [
    'walletTransfers',
    1,
    (reader, [wallet = '']) =>
      reader.walletTransfers(
        { ...solana, direction: 'in', canonicalAsset: 'native', limit: 100 },
        [{ ...WEEK, wallet }],
        limits,
      ),
  ],
  [
    'hundreds of neighbours of one',
    2,
    (reader, wallets) =>
      reader.neighbours(
        { ...solana, canonicalAssets: ['native'], leastRaw: [1n], perSideMax: 400, fromBeginning: true },
        bothSides(wallets.slice(0, 1)),
        limits,
      ),
  ],
  [
    'transfersBetween',
    2,
    (reader, wallets) =>
      reader.transfersBetween(
        {
          ...{ ...solana, counterparties: ['other'], direction: 'out' },
          ...{ canonicalAssets: ['native'], leastRaw: [1n], limit: 100 },
        },
        wallets,
        limits,
      ),
  ],
  [
    'neighbours of many',
    2,
    (reader, wallets) =>
      reader.neighbours(
        { ...solana, canonicalAssets: ['native'], leastRaw: [1n], perSideMax: 17 },
        bothSides(wallets),
        limits,
      ),
  ],
  [
    'counts',
    2,
    (reader, wallets) => {
      const sides = bothSides(wallets).map((side) => ({ ...side, among: ['other'] }));
      const of = { ...solana, canonicalAssets: ['native'], leastRaw: [1n], othersMax: 16 };
      return reader.counterpartyCounts(of, sides, limits);
    },
  ],
  [
    'partlyRead',
    2,
    (reader, wallets) =>
      reader.partlyRead({ ...solana, canonicalAssets: ['native', 'other'] }, bothSides(wallets), limits),
  ],
];

/** As a derivation and an import leave them: hours of three years of twenty assets. */
const makePrices = async (): Promise<void> => {
  const hour = `toDateTime('2023-01-01 00:00:00', 'UTC') + INTERVAL number % 26280 HOUR`;
  await stage.warehouse.writer.command({
    query: `INSERT INTO prices SELECT 'solana', concat('asset ', toString(intDiv(number, 26280))), 'hour', ${hour}, ${hour}, 1., 1., 1
      FROM numbers(525600) SETTINGS max_partitions_per_insert_block = 0`,
  });
  await stage.warehouse.writer.command({
    query: `INSERT INTO imported_prices SELECT 'solana', concat('asset ', toString(intDiv(number, 26280))), toDate(${hour}), ${hour}, 'list', 1., number, 0
      FROM numbers(525600)`,
  });
};

test('what an asset was worth is read from a few granules, however many prices there are', async () => {
  await makePrices();
  const solanaChain = findChain('solana');
  if (!solanaChain) throw new Error('the chain is not known');
  const { client, plans } = stage.explaining();
  const moments = [{ canonicalAsset: 'asset 7', timeUnixSeconds: 1_700_000_000 }];
  await createPriceReader(client).prices({ chain: solanaChain }, moments, limits);
  const shares = plans.flatMap(granules);
  expect(shares.length).toBeGreaterThanOrEqual(2);
  for (const { read } of shares) expect(read).toBeLessThanOrEqual(4);
  expect(Math.max(...shares.map(({ all }) => all))).toBeGreaterThan(30);
});

/** A hundred thousand addresses of a thousand services beside it, each with a label, and what passed through them. */
const makeServices = async (): Promise<void> => {
  const numbers = 'FROM numbers(100000)';
  const [address, entity] = [`hex(sipHash64(number))`, `concat('service ', toString(number % 1000))`];
  await stage.warehouse.writer.command({
    query: `INSERT INTO service_wallets SELECT 'solana', ${address}, ${entity}, 'exchange', 1, 1, 0 ${numbers}`,
  });
  await stage.warehouse.writer.command({
    query: `INSERT INTO service_entries SELECT chain, concat('service ', toString(tx_index % 1000)), direction, asset_family,
      amount, block_time, block_number, tx_index, index, address, counterparty, kind, is_sender, sequence FROM account_entries LIMIT 120000`,
  });
  await stage.warehouse.writer.command({
    query: `INSERT INTO labels (chain, address, source, kind, name) SELECT 'solana', ${address}, 'list', 'exchange', ${entity} ${numbers}`,
  });
};

beforeAll(async () => {
  await makeExchange();
  await makeServices();
});

test.each(TRACE_QUESTIONS)('%s reads a few granules, found by the key', async (_, ranges, ask) => {
  const wallets = [await stage.busyWallet(), 'other', 'fifth', 'wheel', 'none'];
  const { client, plans } = stage.explaining();
  await ask(createTraceReader(client), wallets);
  const shares = plans.flatMap(granules);
  expect(shares).toHaveLength(ranges);
  for (const { read, all } of shares) {
    expect(read).toBeLessThanOrEqual(12);
    // A scan would be seen.
    expect(all).toBeGreaterThan(100);
  }
});

test('of a hundred thousand rows of a wallet the two ends are read, and name more others than a quiet one has', async () => {
  await stage.warehouse.writer.command({
    query: `INSERT INTO account_entries SELECT 'base', multiIf(number = 0, 'ann', number = 99999, 'zoe', 'hot'), 'in', 'native',
        1700000000 + number, number, 0, 0, concat('payer ', toString(number)), 1, 'transfer', true, 1 FROM numbers(100000)`,
  });
  const of = { chain: 'base', canonicalAssets: ['native'], leastRaw: [1n], perSideMax: 17 };
  const request = [of, [{ wallet: 'hot', direction: 'in' }], limits] as const;
  const [told] = await createTraceReader(stage.warehouse.reader).neighbours(...request);
  expect(told).toHaveLength(17);
  const { client, plans } = stage.explaining();
  await createTraceReader(client).neighbours(...request);
  expect(plans.flatMap(granules).reduce((sum, { read }) => sum + read, 0)).toBeLessThanOrEqual(3);
});

test('whether a block is missing in a week of a year is told from that week', async () => {
  await stage.warehouse.writer.command({
    query: `INSERT INTO blocks (chain, number, hash, parent_number, time, part, parts, sequence)
        SELECT 'base', number, toString(number), number - 1, 1700000000 + 100 * number, 0, 1, 1 FROM numbers(1, 315000)`,
  });
  const { client, plans } = stage.explaining();
  const week = { fromUnixSeconds: 1_710_000_000, toUnixSeconds: 1_710_604_800 };
  await createTraceReader(client).hasGaps({ chain: 'base' }, [week], limits);
  expect(plans).toHaveLength(1);
  for (const { read, all } of plans.flatMap(granules)) {
    expect(all).toBeGreaterThan(300);
    expect(read).toBeLessThanOrEqual(8);
  }
  // Each end is found by the times of blocks, in the order of the key.
  const end = `SELECT number FROM blocks WHERE chain = 'base' AND time > 1710604800 ORDER BY number LIMIT 1`;
  await askTables(client, { query: end, params: {} }, limits);
  expect(plans[1]).toMatch(/Skip\s[\s\S]*times[\s\S]*Granules: /);
  expect(plans[1]).toContain('Read type: InOrder');
});

test('both ends of what is indexed are read from the ends of the key', async () => {
  const { client, plans } = stage.explaining();
  await createTraceReader(client).indexedSpan({}, [solana.chain], limits);
  expect(plans.join()).toContain('Read type: InOrder');
  expect(plans.join()).toContain('Read type: InReverseOrder');
});

import { beforeAll, describe, expect, test } from 'vitest';
import { findChain } from '../../investigate/model/chain.ts';
import { bothSides, type TraceReader } from '../../investigate/model/trace-reader.ts';
import type { TransferReader } from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { beforeQueries } from '../../testing/before-queries.ts';
import { buildRecords } from '../../testing/build-records.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { insertBlockTransfers } from '../sink/insert-block-transfers.ts';
import { askTables } from './ask-tables.ts';
import { createPriceReader } from './assets/price.ts';
import { readIndexedHead } from './blocks/indexed-head.ts';
import { createTraceReader } from './create-trace-reader.ts';
import { createTransferReader } from './create-transfer-reader.ts';

const BLOCKS = 200;
const MOVEMENTS_PER_BLOCK = 1_000;
const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };

const stage = new TableStage();

beforeAll(async () => {
  const records = buildRecords({ firstBlock: 1, blocks: BLOCKS, movementsPerBlock: MOVEMENTS_PER_BLOCK });
  await insertBlockTransfers(stage.warehouse, { records, token: 'all' });
  // As many crossings as a table needs for a scan of it to be seen.
  await stage.warehouse.writer.command({
    query: `INSERT INTO bridge_transfers_in SELECT 'solana', number % 200, now(), number, 0, '', 'cctp', 'deposit',
      '6:' || toString(number), 'base', '', '', '', 1, 1 FROM numbers(100000)`,
  });
});

/** A client that has every query explained before it asks it. */
const explaining = (): { client: WarehouseClient; plans: string[] } => {
  const plans: string[] = [];
  const { writer } = stage.warehouse;
  const client = beforeQueries(writer, async (request) => {
    const query = `EXPLAIN indexes = 1 ${request.query}`;
    const answer = await writer.query({ ...request, query, format: 'TabSeparatedRaw' });
    plans.push(await answer.text());
  });
  return { client, plans };
};

type Share = { readonly read: number; readonly all: number };

/** What the primary key leaves of each table a plan reads. */
const granules = (plan: string): Share[] =>
  plan
    .split('──ReadFromMergeTree (')
    .slice(1)
    .map((reading) => {
      const primary = reading.slice(reading.indexOf('PrimaryKey'));
      const [, read, all] = /Granules: (\d+)\/(\d+)/.exec(primary) ?? [];
      return { read: Number(read), all: Number(all) };
    });

const busyWallet = async (): Promise<string> => {
  const answer = await stage.warehouse.writer.query({
    query:
      'SELECT address FROM account_entries WHERE direction = 1 GROUP BY address ORDER BY count() DESC LIMIT 1 OFFSET 200',
    format: 'JSONCompactEachRow',
  });
  const [row] = await answer.json<[string]>();
  return row?.[0] ?? '';
};

type Question = (reader: TransferReader, wallet: string, client: WarehouseClient) => Promise<unknown>;
const solana = { chain: 'solana', ...limits };
const START = { blockTime: 1_700_000_010, blockNumber: 20, txIndex: 3, step: 0 };
const QUESTIONS: readonly (readonly [string, number, Question])[] = [
  [
    'departures',
    2,
    (reader, wallet) =>
      reader.departures({ ...solana, wallet, family: 'native', ownOnly: false, from: START, limit: 1_000 }),
  ],
  [
    'departures of a wallet and of those it paid',
    1,
    (reader, wallet) => {
      const asked = { ...solana, wallet, family: 'native', ownOnly: false, transfersOnly: true };
      return reader.departures({ ...asked, aheadRaw: 700_000_000_000_000n, from: START, limit: 1_000 });
    },
  ],
  [
    'arrivals',
    2,
    (reader, wallet) =>
      reader.arrivals({ ...solana, wallet, family: 'native', ownOnly: false, from: START, limit: 1_000 }),
  ],
  [
    'farArrivals',
    1,
    (reader, wallet) =>
      reader.farArrivals({
        ...{ ...limits, wallet, chains: ['solana', 'base'], limit: 100, leastRaw: new Map([['native', 1n]]) },
        ...{ fromUnixSeconds: 1_700_000_010, toUnixSeconds: 1_700_086_410 },
      }),
  ],
  [
    'transactionHashes',
    1,
    (reader) => {
      const positions = [3, 190].map((blockNumber) => ({ blockTime: 0, blockNumber, txIndex: 1 }));
      return reader.transactionHashes({ ...solana, positions });
    },
  ],
  [
    'wholeTransactions',
    1,
    (reader) => {
      const positions = [3, 190].map((blockNumber) => ({ blockTime: 0, blockNumber, txIndex: 1 }));
      return reader.wholeTransactions({ ...solana, positions, limit: 1_000 });
    },
  ],
  [
    'bridgeTransfers',
    1,
    (reader) => {
      const positions = [3, 190].map((blockNumber) => ({ blockTime: 0, blockNumber, txIndex: 1 }));
      return reader.bridgeTransfers({ ...solana, positions });
    },
  ],
  [
    'bridgeMessages',
    1,
    (reader) => {
      const messages = ['6:77', '6:99000'].map((messageId) => ({ bridge: 'cctp' as const, messageId }));
      return reader.bridgeMessages({ messages, ...limits });
    },
  ],
  [
    'swappers',
    1,
    (reader, wallet) => {
      const time = { fromUnixSeconds: 1_700_000_010, toUnixSeconds: 1_800_000_000 };
      const spans = [wallet, 'other', 'none'].map((of) => ({ wallet: of, ...time }));
      return reader.swappers({ ...solana, family: 'native', ownOnly: false, spans });
    },
  ],
  ['familiesSent', 1, (reader, wallet) => reader.familiesSent({ ...solana, wallet, sinceUnixSeconds: 0 })],
  [
    'familiesReceived',
    1,
    (reader, wallet) => reader.familiesReceived({ ...solana, wallet, untilUnixSeconds: 1_800_000_000 }),
  ],
  ['isKnown', 1, (reader, wallet) => reader.isKnown({ ...solana, wallet })],
  // Without rows there is no balance to make of them.
  [
    'burnt',
    1,
    (reader, wallet) =>
      reader.burnt({ ...solana, wallet, family: 'native', sinceUnixSeconds: 0, ownOnly: false }),
  ],
  ['balance', 1, (reader, wallet) => reader.balance({ ...solana, wallet, family: 'native' })],
];

test.each(QUESTIONS)('%s reads a few granules of its tables, found by their keys', async (_, tables, ask) => {
  const wallet = await busyWallet();
  const { client, plans } = explaining();
  await ask(createTransferReader(client), wallet, client);
  const shares = plans.flatMap(granules);
  expect(shares).toHaveLength(tables);
  for (const { read, all } of shares) {
    expect(read).toBeLessThanOrEqual(4);
    expect(all).toBeGreaterThanOrEqual(read);
  }
});

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
  ['transaction', 1, (reader) => reader.transaction({ ...solana, signature: 'any', limit: 10 })],
  [
    ...(['transaction of some assets', 1] as const),
    (reader) => reader.transaction({ ...solana, signature: 'any', families: ['native'], limit: 10 }),
  ],
  ['transactionRows', 1, (reader) => reader.transactionRows({ ...solana, positions, limit: 10 })],
  ['services', 1, (reader, addresses) => reader.services({ ...solana, addresses })],
  ['labels', 1, (reader, addresses) => reader.labels({ ...solana, addresses })],
  ['serviceWallets', 1, (reader) => reader.serviceWallets({ ...solana, entity: 'service 7', limit: 1_000 })],
  [
    'serviceTransfers',
    1,
    (reader) =>
      reader.serviceTransfers({
        ...{ ...solana, ...WEEK, entity: 'ex', direction: 'out', family: 'native', limit: 1_000 },
        ...{ minRaw: 1_000_000_000_000n, maxRaw: 1_010_000_000_000n },
      }),
  ],
  [
    'walletTransfers',
    1,
    (reader, [wallet = '']) =>
      reader.walletTransfers({ ...solana, ...WEEK, wallet, direction: 'in', family: 'native', limit: 100 }),
  ],
  [
    'hundreds of neighbours of one',
    2,
    (reader, wallets) =>
      reader.neighbours({
        ...solana,
        sides: bothSides(wallets.slice(0, 1)),
        families: ['native'],
        perSideMax: 400,
      }),
  ],
  [
    'transfersBetween',
    1,
    (reader, wallets) =>
      reader.transfersBetween({
        ...{
          ...solana,
          wallets,
          counterparties: ['other'],
          direction: 'out',
          families: ['native'],
          leastRaw: [1n],
          limit: 100,
        },
      }),
  ],
  [
    'neighbours of many',
    1,
    (reader, wallets) =>
      reader.neighbours({ ...solana, sides: bothSides(wallets), families: ['native'], perSideMax: 17 }),
  ],
  [
    'circles',
    1,
    (reader, wallets) => {
      const sides = bothSides(wallets);
      return reader.circles({
        ...{ ...solana, sides, families: ['native'], leastRaw: [1n] },
        ...{ among: ['other'], othersMax: 16 },
      });
    },
  ],
  [
    'partlyRead',
    1,
    (reader, wallets) =>
      reader.partlyRead({ ...solana, sides: bothSides(wallets), families: ['native', 'other'] }),
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
  const { client, plans } = explaining();
  const moments = [{ family: 'asset 7', timeUnixSeconds: 1_700_000_000 }];
  await createPriceReader(client).prices({ chain: solanaChain, moments, ...limits });
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

describe('tracing', () => {
  beforeAll(async () => {
    await makeExchange();
    await makeServices();
  });

  test.each(TRACE_QUESTIONS)('%s reads a few granules, found by the key', async (_, ranges, ask) => {
    const wallets = [await busyWallet(), 'other', 'fifth', 'wheel', 'none'];
    const { client, plans } = explaining();
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
    const one = {
      families: ['native'],
      sides: [{ wallet: 'hot', direction: 'in' }],
      perSideMax: 17,
    } as const;
    const request = { ...limits, chain: 'base', ...one };
    expect(await createTraceReader(stage.warehouse.reader).neighbours(request)).toHaveLength(17);
    const { client, plans } = explaining();
    await createTraceReader(client).neighbours(request);
    expect(plans.flatMap(granules).reduce((sum, { read }) => sum + read, 0)).toBeLessThanOrEqual(3);
  });

  test('whether a block is missing in a week of a year is told from that week', async () => {
    await stage.warehouse.writer.command({
      query: `INSERT INTO blocks (chain, number, hash, parent_number, time, part, parts, sequence)
        SELECT 'base', number, toString(number), number - 1, 1700000000 + 100 * number, 0, 1, 1 FROM numbers(1, 315000)`,
    });
    const { client, plans } = explaining();
    const week = { fromUnixSeconds: 1_710_000_000, toUnixSeconds: 1_710_604_800 };
    await createTraceReader(client).hasGaps({ ...limits, ...week, chain: 'base' });
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
    const { client, plans } = explaining();
    await createTraceReader(client).indexedSpan(solana);
    expect(plans.join()).toContain('Read type: InOrder');
    expect(plans.join()).toContain('Read type: InReverseOrder');
  });
});

test('the tables of this test are large enough for a scan to be seen', async () => {
  const { client, plans } = explaining();
  const wallet = await busyWallet();
  await createTransferReader(client).departures({
    ...solana,
    wallet,
    family: 'native',
    ownOnly: false,
    from: START,
    limit: 10,
  });
  expect(plans.flatMap(granules).some(({ all }) => all > 300)).toBe(true);
});

test('arrivals are read back from the end of their range: how much a wallet ever got decides nothing', async () => {
  const { client, plans } = explaining();
  const from = { ...START, blockTime: 4_294_967_295 };
  await createTransferReader(client).arrivals({
    ...{ ...solana, wallet: await busyWallet(), family: 'native', ownOnly: false },
    ...{ from, limit: 10 },
  });
  expect(plans.find((plan) => plan.includes('account_entries'))).toContain('Read type: InReverseOrder');
});

test('whether a wallet swapped within a time is told from that time, whatever it swapped later', async () => {
  await stage.warehouse.writer.command({
    query: `INSERT INTO swaps (chain, owner, gave_family, block_time, block_number, sequence)
      SELECT 'base', 'bot', 'native', 1700000000 + number, number, 1 FROM numbers(100000)`,
  });
  const { client, plans } = explaining();
  const time = { fromUnixSeconds: 1_700_000_000, toUnixSeconds: 1_700_000_060 };
  const spans = ['bot', 'other'].map((wallet) => ({ wallet, ...time }));
  await createTransferReader(client).swappers({
    ...{ ...limits, chain: 'base', family: 'native', ownOnly: false, spans },
  });
  const [share] = plans.flatMap(granules);
  expect(share?.all).toBeGreaterThan(90);
  expect(share?.read).toBeLessThanOrEqual(2);
});

test('the newest block is read from the end of its key, not by a scan', async () => {
  const { client, plans } = explaining();
  await readIndexedHead(client, solana);
  expect(plans.join()).toContain('Read type: InReverseOrder');
});

import { beforeAll, expect, test } from 'vitest';
import type { ControlReader } from '../../investigate/model/control-reader.ts';
import type { TransferReader } from '../../investigate/model/transfer-reader.ts';
import { pagesOf } from '../../testing/flow-pages.ts';
import { granules, IndexStage } from '../../testing/index-stage.ts';
import { readIndexedHead } from './blocks/indexed-head.ts';
import { createControlReader } from './create-control-reader.ts';
import { createTransferReader } from './create-transfer-reader.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const stage = new IndexStage();

// As many crossings, and approvals of one spender, as a table needs for a scan of it to be seen.
beforeAll(async () => {
  await stage.warehouse.writer.command({
    query: `INSERT INTO bridge_transfers_in SELECT 'solana', number % 200, now(), number, 0, '', 'cctp', 'deposit',
      '6:' || toString(number), 'base', '', '', '', 1, 1 FROM numbers(100000)`,
  });
  await stage.warehouse.writer.command({
    query: `INSERT INTO control_events_in SELECT 'solana', number, 1700000000 + number, number, 0, 'hash', '',
      multiIf(number % 9 = 0, 'calls', number % 2 = 0, 'frozen', 'approval'), 'router', 'wallet' || toString(number), 'spender', '', 1, '', '', true, 1
      FROM numbers(100000)`,
  });
});

type Question = (reader: TransferReader, wallet: string) => Promise<unknown>;
const solana = { chain: 'solana', ...limits };
const START = { blockTime: 1_700_000_010, blockNumber: 20, txIndex: 3, step: 0 };
const positions = [3, 190].map((blockNumber) => ({ blockTime: 0, blockNumber, txIndex: 1 }));
const QUESTIONS: readonly (readonly [string, number, Question])[] = [
  [
    'departures',
    2,
    (reader, wallet) =>
      pagesOf(reader)({
        ...solana,
        wallet,
        canonicalAsset: 'native',
        ownOnly: false,
        from: START,
        limit: 1_000,
      }),
  ],
  [
    'departures of a wallet and of those it paid',
    1,
    (reader, wallet) => {
      const asked = { ...solana, wallet, canonicalAsset: 'native', ownOnly: false, transfersOnly: true };
      return pagesOf(reader)({ ...asked, aheadRaw: 700_000_000_000_000n, from: START, limit: 1_000 });
    },
  ],
  [
    'arrivals',
    2,
    (reader, wallet) =>
      pagesOf(
        reader,
        'arrivals',
      )({
        ...solana,
        wallet,
        canonicalAsset: 'native',
        ownOnly: false,
        from: START,
        limit: 1_000,
      }),
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
  ['transactionHashes', 1, (reader) => reader.transactionHashes(solana, positions, limits)],
  [
    'wholeTransactions',
    1,
    (reader) => reader.wholeTransactions({ ...solana, limit: 1_000 }, positions, limits),
  ],
  ['bridgeTransfers', 1, (reader) => reader.bridgeTransfers({ ...solana, positions })],
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
      return reader.swappers({ ...solana, canonicalAsset: 'native', ownOnly: false, spans });
    },
  ],
  ['assetsSent', 1, (reader, wallet) => reader.assetsSent({ ...solana, wallet, sinceUnixSeconds: 0 })],
  [
    'assetsReceived',
    1,
    (reader, wallet) => reader.assetsReceived({ ...solana, wallet, untilUnixSeconds: 1_800_000_000 }),
  ],
  ['isKnown', 1, (reader, wallet) => reader.isKnown(solana, [wallet], solana)],
  // Without rows there is no balance to make of them.
  [
    'lost',
    1,
    (reader, wallet) =>
      reader.lost(
        { ...solana, canonicalAsset: 'native', ownOnly: false },
        [{ wallet, sinceUnixSeconds: 0 }],
        solana,
      ),
  ],
  [
    'balance',
    1,
    (reader, wallet) => reader.balance({ chain: 'solana', canonicalAsset: 'native' }, [wallet], solana),
  ],
];

test.each(QUESTIONS)('%s reads a few granules of its tables, found by their keys', async (_, tables, ask) => {
  const wallet = await stage.busyWallet();
  const { client, plans } = stage.explaining();
  await ask(createTransferReader(client), wallet);
  const shares = plans.flatMap(granules);
  expect(shares).toHaveLength(tables);
  for (const { read, all } of shares) {
    expect(read).toBeLessThanOrEqual(4);
    expect(all).toBeGreaterThanOrEqual(read);
  }
});

const CONTROL: readonly (readonly [string, number, (reader: ControlReader) => Promise<unknown>])[] = [
  [
    'eventsOf',
    2,
    (reader) => reader.eventsOf({ ...PAGE, kinds: ['metadata', 'frozen'] }, [{ address: 'router' }], limits),
  ],
  [
    'eventsOfHolder',
    1,
    (reader) => reader.eventsOfHolder({ ...PAGE, kinds: ['approval'] }, [{ address: 'wallet777' }], limits),
  ],
  [
    'eventsOfHolder of several',
    1,
    (reader) => {
      const wallets = ['wallet7', 'wallet777', 'wallet901'].map((address) => ({ address }));
      return reader.eventsOfHolder({ ...PAGE, kinds: ['approval'] }, wallets, limits);
    },
  ],
  [
    'eventsByParty',
    2,
    (reader) => {
      const spender = { address: 'spender', toUnixSeconds: 1_700_050_000 };
      return reader.eventsByParty({ ...PAGE, kinds: ['approval'] }, [spender, { address: 'router' }], limits);
    },
  ],
  [
    'freezes',
    1,
    (reader) => reader.freezes({ chain: 'solana', asset: 'router' }, ['wallet776', 'nobody'], limits),
  ],
  [
    'topCallers',
    2,
    (reader) => reader.topCallers({ chain: 'solana', rowsMax: 100, limit: 9 }, ['router'], solana),
  ],
];
const PAGE = { chain: 'solana', order: 'newest_first' as const, limit: 20 };

test.each(CONTROL)(
  '%s reads the end of a range of the key, however many events there are',
  async (_, ranges, ask) => {
    const { client, plans } = stage.explaining();
    await ask(createControlReader(client));
    const shares = plans.flatMap(granules);
    expect(shares).toHaveLength(ranges);
    expect(shares.some(({ all }) => all > 300)).toBe(true);
    const inOrder = plans.join().split('Read type: InReverseOrder').length - 1;
    // A range that is read from its end stops at the limit.
    expect(shares.filter(({ read }) => read > 4).length).toBeLessThanOrEqual(inOrder);
  },
);

test('the tables of this test are large enough for a scan to be seen', async () => {
  const { client, plans } = stage.explaining();
  const wallet = await stage.busyWallet();
  await pagesOf(createTransferReader(client))({
    ...solana,
    wallet,
    canonicalAsset: 'native',
    ownOnly: false,
    from: START,
    limit: 10,
  });
  expect(plans.flatMap(granules).some(({ all }) => all > 300)).toBe(true);
});

test('arrivals are read back from the end of their range: how much a wallet ever got decides nothing', async () => {
  const { client, plans } = stage.explaining();
  const from = { ...START, blockTime: 4_294_967_295 };
  await pagesOf(
    createTransferReader(client),
    'arrivals',
  )({
    ...{ ...solana, wallet: await stage.busyWallet(), canonicalAsset: 'native', ownOnly: false },
    ...{ from, limit: 10 },
  });
  expect(plans.find((plan) => plan.includes('account_entries'))).toContain('Read type: InReverseOrder');
});

test('whether a wallet swapped within a time is told from that time, whatever it swapped later', async () => {
  await stage.warehouse.writer.command({
    query: `INSERT INTO swaps (chain, owner, gave_family, block_time, block_number, sequence)
      SELECT 'base', 'bot', 'native', 1700000000 + number, number, 1 FROM numbers(100000)`,
  });
  const { client, plans } = stage.explaining();
  const time = { fromUnixSeconds: 1_700_000_000, toUnixSeconds: 1_700_000_060 };
  const spans = ['bot', 'other'].map((wallet) => ({ wallet, ...time }));
  await createTransferReader(client).swappers({
    ...{ ...limits, chain: 'base', canonicalAsset: 'native', ownOnly: false, spans },
  });
  const [share] = plans.flatMap(granules);
  expect(share?.all).toBeGreaterThan(90);
  expect(share?.read).toBeLessThanOrEqual(2);
});

test('the newest block is read from the end of its key, not by a scan', async () => {
  const { client, plans } = stage.explaining();
  await readIndexedHead(client, solana);
  expect(plans.join()).toContain('Read type: InReverseOrder');
});

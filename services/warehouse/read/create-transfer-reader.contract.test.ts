import { beforeAll, expect, test } from 'vitest';
import {
  ReadFailedError,
  type ReadLimits,
  type TransferReader,
} from '../../investigate/model/transfer-reader.ts';
import { startEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { DATABASE } from '../../roles/store/database.ts';
import { drainFlows, END, everyWallet, START } from '../../testing/drain-flows.ts';
import { pagesOf } from '../../testing/flow-pages.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { CANONICAL_ASSETS, CHAINS, MESSAGES, randomBlocks, WALLETS } from '../../testing/random-blocks.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createTransferReader } from './create-transfer-reader.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const blocks = randomBlocks(20_240_501);
const memory = createMemoryReader(blocks);
const stage = new TableStage();
let tables: TransferReader;

beforeAll(async () => {
  for (const part of [0, 1]) await stage.insert(blocks.filter((_, index) => index % 2 === part));
  tables = createTransferReader(stage.warehouse.reader);
});

/** A whole answer and many pages take turns. */
const pageSizes = (turn: number): [number, number] => (turn % 2 === 0 ? [1_000, 19] : [19, 1_000]);

test('departures are the same as in memory, whatever the page size', async () => {
  let seen = 0;
  for (const { chain, wallet } of everyWallet) {
    for (const canonicalAsset of CANONICAL_ASSETS) {
      for (const ownOnly of [false, true]) {
        const request = { chain, wallet, canonicalAsset, from: START, ownOnly };
        const expected = await drainFlows(memory, request, 10_000);
        const [size, other] = pageSizes(seen);
        seen += expected.length;
        expect(await drainFlows(tables, request, size)).toEqual(expected);
        const transfers = await drainFlows(tables, { ...request, transfersOnly: true }, other);
        expect(transfers).toEqual(expected.filter(({ type }) => type === 'transfer'));
      }
    }
  }
  expect(seen).toBeGreaterThan(500);
});

test('what comes ahead with a page is all that those handed over since then whom one of its rows paid so much', async () => {
  let seen = 0;
  for (const { chain, wallet } of everyWallet) {
    const all = await drainFlows(memory, { chain, wallet, canonicalAsset: 'native', from: START }, 10_000);
    for (const { blockTime } of all.filter((_, index) => index % 5 === 0)) {
      for (const ownOnly of [false, true]) {
        const from = { ...START, blockTime };
        const own = {
          ...limits,
          chain,
          wallet,
          canonicalAsset: 'native',
          from,
          ownOnly,
          transfersOnly: true,
        };
        const request = { ...own, aheadRaw: 2n ** 200n, limit: 1_000 };
        const [found, expected] = await Promise.all([tables, memory].map((each) => pagesOf(each)(request)));
        expect(found?.rows).toEqual(expected?.rows);
        for (const [paid, flows] of found?.ahead ?? [])
          expect(flows).toEqual((await pagesOf(memory)({ ...own, limit: 1_000, wallet: paid })).rows);
        const gone = [...(expected?.ahead ?? [])].flatMap(([paid, flows]) =>
          flows.length > 0 ? [paid] : [],
        );
        expect([...(found?.ahead?.keys() ?? [])]).toEqual(expect.arrayContaining(gone));
        seen += gone.length;
      }
    }
  }
  expect(seen).toBeGreaterThan(100);
});

test('nothing comes ahead where more is looked for than any amount can be, as a request may name it', async () => {
  for (const { chain, wallet } of everyWallet) {
    const own = {
      ...limits,
      chain,
      wallet,
      canonicalAsset: 'native',
      from: START,
      ownOnly: false,
      transfersOnly: true,
    };
    const { rows, ahead } = await pagesOf(tables)({ ...own, aheadRaw: 10n ** 108n, limit: 1_000 });
    expect(rows).toEqual((await pagesOf(memory)({ ...own, limit: 1_000 })).rows);
    expect(ahead?.size ?? 0).toBe(0);
  }
});

test('who swapped an asset away within a time of their own is the same as in memory', async () => {
  const times = [...new Set(blocks.map(({ timeUnixSeconds }) => timeUnixSeconds ?? 0))].sort();
  const at = (part: number): number => times[Math.floor(part * (times.length - 1))] ?? 0;
  let seen = 0;
  for (const chain of CHAINS) {
    for (const [canonicalAsset, ownOnly] of CANONICAL_ASSETS.flatMap((of) => [
      [of, false] as const,
      [of, true] as const,
    ])) {
      for (const [from, to] of [
        [0, 1],
        [0.2, 0.4],
        [0.5, 0.5],
        [0.7, 1],
      ] as const) {
        // A wallet may be named with two times, and those of the others say nothing of it.
        const spans = [...WALLETS, 'ann'].map((wallet, i) => ({
          ...{ wallet, fromUnixSeconds: at(i % 2 ? from : 1 - to), toUnixSeconds: at(i % 2 ? to : 1 - from) },
        }));
        const request = { chain, canonicalAsset, ownOnly, spans, ...limits };
        const expected = await memory.swappers(request);
        seen += expected.size;
        expect([...(await tables.swappers(request))].sort()).toEqual([...expected].sort());
      }
    }
  }
  expect(seen).toBeGreaterThan(10);
});

test('departures from any position on are the same as in memory', async () => {
  for (const { chain, wallet } of everyWallet) {
    const all = await drainFlows(memory, { chain, wallet, canonicalAsset: 'native', from: START }, 10_000);
    for (const at of all.filter((_, index) => index % 17 === 0)) {
      const from = { blockTime: at.blockTime, blockNumber: at.blockNumber, txIndex: at.txIndex };
      for (const step of [0, at.step, at.step + 1]) {
        const request = { chain, wallet, canonicalAsset: 'native', from: { ...from, step } };
        for (const transfersOnly of [false, true])
          expect(await drainFlows(tables, { ...request, transfersOnly }, 1_000)).toEqual(
            await drainFlows(memory, { ...request, transfersOnly }, 10_000),
          );
      }
    }
  }
});

test('arrivals are the same as in memory, whatever the page size and from any position back', async () => {
  let seen = 0;
  for (const { chain, wallet } of everyWallet) {
    for (const canonicalAsset of CANONICAL_ASSETS) {
      const request = { chain, wallet, canonicalAsset, from: END };
      const expected = await drainFlows(memory, request, 10_000, 'arrivals');
      const [size, other] = pageSizes(seen);
      seen += expected.length;
      expect(await drainFlows(tables, request, size, 'arrivals')).toEqual(expected);
      const transfers = await drainFlows(tables, { ...request, transfersOnly: true }, other, 'arrivals');
      expect(transfers).toEqual(expected.filter(({ type }) => type === 'transfer'));
      for (const at of expected.filter((_, index) => index % 17 === 0)) {
        const from = { ...at, step: seen % 2 === 0 ? 0 : at.step };
        const later = { ...request, from };
        expect(await drainFlows(tables, later, 1_000, 'arrivals')).toEqual(
          await drainFlows(memory, later, 10_000, 'arrivals'),
        );
      }
    }
  }
  expect(seen).toBeGreaterThan(500);
});

test('pages of several wallets with one question are the same as one by one, from positions of their own', async () => {
  let seen = 0;
  for (const [side, start] of [
    ['departures', START],
    ['arrivals', END],
  ] as const) {
    for (const chain of CHAINS) {
      for (const [index, canonicalAsset] of CANONICAL_ASSETS.entries()) {
        const wallets = [...WALLETS, 'stranger'];
        const rows = await Promise.all(
          wallets.map((wallet) =>
            drainFlows(memory, { chain, wallet, canonicalAsset, from: start }, 10_000, side),
          ),
        );
        // Every third from its start, the others from the middle of what they did.
        const places = wallets.map((wallet, number) => {
          const row =
            number % 3 === 0 ? undefined : rows[number]?.[Math.floor((rows[number]?.length ?? 0) / 2)];
          return {
            wallet,
            from: row === undefined ? start : { ...row, step: number % 2 === 0 ? 0 : row.step },
          };
        });
        for (const limit of [1_000, 3]) {
          const asked = { side, chain, canonicalAsset, limit };
          const common = { ...asked, ownOnly: index % 2 === 1, transfersOnly: index % 3 === 0 };
          const expected = await memory.flows(common, places, limits);
          const found = await tables.flows(common, places, limits);
          expect(found.map((page) => page.rows)).toEqual(expected.map((page) => page.rows));
          seen += found.flatMap((page) => page.rows).length;
        }
      }
    }
  }
  expect(seen).toBeGreaterThan(300);
});

test('what the same second holds before a position takes no place of its page', async () => {
  let crowded = 0;
  for (const [side, start] of [
    ['departures', START],
    ['arrivals', END],
  ] as const) {
    for (const { chain, wallet } of everyWallet) {
      const all = await drainFlows(
        memory,
        { chain, wallet, canonicalAsset: 'native', from: start },
        10_000,
        side,
      );
      const behindTwo = all.filter(
        ({ blockTime }, index) => all.findIndex((row) => row.blockTime === blockTime) <= index - 2,
      );
      for (const { blockTime, blockNumber, txIndex } of behindTwo.filter((_, index) => index % 7 === 0)) {
        const from = { blockTime, blockNumber, txIndex, step: 0 };
        const request = {
          ...limits,
          chain,
          wallet,
          canonicalAsset: 'native',
          from,
          ownOnly: false,
          limit: 2,
        };
        const expected = await pagesOf(memory, side)(request);
        expect((await pagesOf(tables, side)(request)).rows).toEqual(expected.rows);
        crowded += 1;
      }
    }
  }
  expect(crowded).toBeGreaterThan(20);
});

test('what reached an address on several chains is the same as in memory', async () => {
  const [fromUnixSeconds, toUnixSeconds] = [1_700_000_002, 1_700_000_015];
  let seen = 0;
  for (const wallet of [...WALLETS, 'stranger']) {
    for (const chains of [['ethereum'], ['solana', 'ethereum']]) {
      const range = { fromUnixSeconds, toUnixSeconds, limit: 1_000 };
      const leastRaw = new Map([
        ['native', 0n],
        ['token', wallet === 'ann' ? 2n ** 200n : 500n],
      ]);
      const request = { wallet, chains, leastRaw, ...range, ...limits };
      const expected = await memory.farArrivals(request);
      seen += expected.length;
      const byChain = (rows: typeof expected) => Map.groupBy(rows, ({ chain }) => chain);
      // Blocks of two chains with the same number and second have no order between them.
      expect(byChain(await tables.farArrivals(request))).toEqual(byChain(expected));
    }
  }
  expect(seen).toBeGreaterThan(50);
});

test('transactions are named by the hashes memory has, in the order asked, and those of no such place or time by none', async () => {
  for (const chain of CHAINS) {
    const known = blocks
      .filter((block) => block.chain === chain && block.number % 2 === 0)
      .flatMap(({ number, timeUnixSeconds, transactions }) =>
        transactions.map(({ txIndex }) => ({
          blockTime: timeUnixSeconds ?? 0,
          blockNumber: number,
          txIndex,
        })),
      );
    const unknown = { blockTime: 0, blockNumber: 999_999, txIndex: 0 };
    const [later] = known.map((position) => ({ ...position, blockTime: position.blockTime + 1 }));
    const positions = [...known.toReversed(), unknown, later ?? unknown, ...known.slice(0, 3)];
    const expected = await memory.transactionHashes({ chain }, positions, limits);
    expect(expected.filter((hash) => hash === null)).toHaveLength(2);
    expect(await tables.transactionHashes({ chain }, positions, limits)).toEqual(expected);
  }
});

test('transactions are whole or left out, whatever the limit, as in memory', async () => {
  for (const chain of CHAINS) {
    const positions = blocks
      .filter((block) => block.chain === chain)
      .flatMap((block) =>
        block.transactions.map(({ txIndex }) => ({ blockTime: 0, blockNumber: block.number, txIndex })),
      )
      .toReversed();
    for (const limit of [1, 2, 3, 7, 20, 10_000]) {
      const asked = [{ chain, limit }, positions, limits] as const;
      expect(await tables.wholeTransactions(...asked)).toEqual(await memory.wholeTransactions(...asked));
    }
  }
});

type Named = { readonly canonicalAsset: string };
const byAsset = (a: Named, b: Named): number => (a.canonicalAsset < b.canonicalAsset ? -1 : 1);

test('assets sent and received are the same as in memory, at any time', async () => {
  for (const { chain, wallet } of everyWallet) {
    for (const sinceUnixSeconds of [0, 1, 1_700_000_010, 4_294_967_295]) {
      const request = { chain, wallet, sinceUnixSeconds, ...limits };
      const expected = [...(await memory.assetsSent(request))].sort(byAsset);
      expect([...(await tables.assetsSent(request))].sort(byAsset)).toEqual(expected);
      const until = { chain, wallet, untilUnixSeconds: sinceUnixSeconds, ...limits };
      const received = [...(await memory.assetsReceived(until))].sort(byAsset);
      expect([...(await tables.assetsReceived(until))].sort(byAsset)).toEqual(received);
    }
  }
});

test('balances, known wallets and decimals are the same as in memory', async () => {
  for (const [chain, of] of Map.groupBy(everyWallet, (each) => each.chain)) {
    const wallets = of.map(({ wallet }) => wallet);
    const known = await tables.isKnown({ chain }, wallets, limits);
    expect(known).toEqual(await memory.isKnown({ chain }, wallets, limits));
    expect(known).toEqual(wallets.map((wallet) => wallet !== 'stranger'));
    for (const canonicalAsset of CANONICAL_ASSETS) {
      const common = { chain, canonicalAsset };
      const balances = await tables.balance(common, wallets, limits);
      expect(balances).toEqual(await memory.balance(common, wallets, limits));
    }
  }
});

test('what wallets destroyed, and paid in fees, is the same as in memory, however many times are asked about', async () => {
  const seen = { burnt: 0, fees: 0 };
  for (const chain of CHAINS) {
    const wallets = everyWallet.filter((each) => each.chain === chain).map(({ wallet }) => wallet);
    const asked = [0, 1_700_000_010].flatMap((sinceUnixSeconds) =>
      wallets.map((wallet) => ({ wallet, sinceUnixSeconds })),
    );
    for (const canonicalAsset of CANONICAL_ASSETS) {
      for (const ownOnly of [false, true]) {
        const of = { chain, canonicalAsset, ownOnly };
        const expected = await memory.lost(of, asked, limits);
        seen.burnt += expected.filter(({ burntRaw }) => burntRaw > 0n).length;
        seen.fees += expected.filter(({ feesRaw }) => feesRaw > 0n).length;
        expect(await tables.lost(of, asked, limits)).toEqual(expected);
      }
    }
  }
  expect(seen.burnt).toBeGreaterThan(5);
  expect(seen.fees).toBeGreaterThan(5);
});

test('what bridges told of transactions, and of crossings, is the same as in memory', async () => {
  const places = blocks.flatMap(({ chain, number, bridgeTransfers }) =>
    bridgeTransfers.map(({ txIndex }) => ({ chain, blockTime: 0, blockNumber: number, txIndex })),
  );
  expect(places.length).toBeGreaterThan(50);
  for (const chain of CHAINS) {
    const positions = places.filter((place) => place.chain === chain).slice(0, 40);
    const request = { chain, positions: [...positions, { ...START, blockNumber: 1 }], ...limits };
    expect(await tables.bridgeTransfers(request)).toEqual(await memory.bridgeTransfers(request));
  }
  for (const bridge of ['cctp', 'across', 'wormhole'] as const) {
    const messages = MESSAGES.slice(0, 3).map((messageId) => ({ bridge, messageId }));
    const told = await tables.bridgeMessages({ messages, ...limits });
    expect(told).toHaveLength((await memory.bridgeMessages({ messages, ...limits })).length);
    expect(told).toEqual(expect.arrayContaining([...(await memory.bridgeMessages({ messages, ...limits }))]));
  }
  expect(await tables.bridgeMessages({ messages: [], ...limits })).toEqual([]);
});

test('text that looks like SQL is a value and nothing else', async () => {
  const wallet = "ann' OR 1 = 1 --";
  expect(await tables.isKnown({ chain: 'ethereum' }, [wallet], limits)).toEqual([false]);
  const assetsSent = await tables.assetsSent({
    chain: 'ethereum',
    wallet,
    sinceUnixSeconds: 0,
    ...limits,
  });
  expect(assetsSent).toEqual([]);
});

test('an aborted question is aborted, and an engine out of reach is unavailable', async () => {
  const isKnown = (reader: TransferReader, of: ReadLimits) =>
    reader.isKnown({ chain: 'ethereum' }, ['ann'], of);
  const aborted = { signal: AbortSignal.abort(), timeoutMs: 1_000 };
  await expect(isKnown(tables, aborted)).rejects.toMatchObject({ code: 'aborted' });
  const leaving = new AbortController();
  const left = isKnown(tables, { signal: leaving.signal, timeoutMs: 1_000 });
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'aborted' });
  const gone = await startEmbeddedWarehouse({ folder: temporaryFolder(), database: DATABASE });
  await gone.close();
  const asking = isKnown(createTransferReader(gone.reader), limits);
  await expect(asking).rejects.toThrow(ReadFailedError);
});

test('what was taken back is not among departures, with swaps and without', async () => {
  const { writer } = stage.warehouse;
  await writer.command({
    query: 'INSERT INTO retracted SELECT DISTINCT sequence FROM account_entries WHERE block_number % 2 = 0',
  });
  let seen = 0;
  for (const { chain, wallet } of everyWallet) {
    for (const transfersOnly of [true, false]) {
      const request = { chain, wallet, canonicalAsset: 'native', from: START, transfersOnly };
      const all = await drainFlows(memory, request, 10_000);
      const standing = all.filter(({ blockNumber }) => blockNumber % 2 === 1);
      seen += all.length - standing.length;
      expect(await drainFlows(tables, request, 1_000)).toEqual(standing);
    }
  }
  expect(seen).toBeGreaterThan(50);
  await writer.command({ query: 'TRUNCATE TABLE retracted' });
});

import { describe, expect, test } from 'vitest';
import { historyKey } from '../../events/history-key.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { partitionForKey } from '../../platform/event-log/partition-for-key.ts';
import { blockParts } from '../../testing/block-parts.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { START, USDC } from '../../testing/derive-stage.ts';
import { emptyTables } from '../../testing/empty-tables.ts';
import { encodePart, SinkStage } from '../../testing/sink-stage.ts';
import { readProgress } from '../../warehouse/sink/intent.ts';
import { SINK_GROUP } from '../sink/start-sink.ts';
import { DATABASE } from '../store/database.ts';
import { type DerivedChains, deriveStore } from './derive-store.ts';

const stage = new SinkStage();
const ETHER = 10n ** 18n;

const derive = (chains: DerivedChains = []): Promise<void> =>
  deriveStore({
    ...{ store: stage.store, writer: stage.warehouse.writer, chains },
    signal: new AbortController().signal,
  });
const funded = async (): Promise<string[]> =>
  (await stage.ask('SELECT DISTINCT wallet FROM first_funders ORDER BY wallet')).map(([wallet]) =>
    String(wallet),
  );

/** Each of its payments funds a wallet of its own. */
const blockPaying = (chain: string, number: number, payments = 1): DecodedBlock =>
  buildBlock({
    ...{ chain, number, timeUnixSeconds: 1_700_000_000 },
    transactions: Array.from({ length: payments }, (_, at) => ({
      hash: `tx-${number}-${at}`,
      sender: `payer-${number}-${at}`,
      movements: [{ from: `payer-${number}-${at}`, to: `${chain}-${number}-${at}`, amountRaw: 10n ** 18n }],
    })),
  });

const HEAD = 'transfers.head';
const ETHEREUM = CHAINS.findIndex(({ name }) => name === 'ethereum');
const appendToHistory = async (...blocks: DecodedBlock[]): Promise<void> => {
  for (const block of blocks)
    await stage.append(stage.encoded(block), partitionForKey(historyKey(block.chain, block.number), 8));
};

test.each<{ name: string; chains: DerivedChains }>([
  { name: 'is followed no more', chains: [{ name: 'solana', commitment: 'finalized' }] },
  { name: 'stands still', chains: [{ name: 'ethereum', commitment: 'latest' }] },
])('blocks of ranges are final and hold up no others, though their chain $name', async ({ chains }) => {
  await stage.append(stage.encoded(blockPaying('ethereum', 20_000_000 - 5_000)), ETHEREUM, HEAD);
  const ranges = [20_000_000, 20_000_100, 1_000_000].map((number) => blockPaying('ethereum', number));
  const files = Array.from({ length: 40 }, (_, at) => blockPaying('solana', 250_000_000 + 50 * at));
  await appendToHistory(...ranges, ...files);
  await stage.drain();
  await derive(chains);
  expect(await funded()).toEqual(
    [20_000_000 - 5_000, ...ranges, ...files]
      .map((each) => (typeof each === 'number' ? `ethereum-${each}-0` : `${each.chain}-${each.number}-0`))
      .sort(),
  );
});

test('the newest blocks of the head are not derived from, whatever ranges there are below them', async () => {
  await appendToHistory(blockPaying('ethereum', 1_000));
  const head = [1_001, 1_100, 1_300].map((number) => blockPaying('ethereum', number));
  await stage.append(stage.encoded(...head), ETHEREUM, HEAD);
  await stage.drain();
  await derive([{ name: 'ethereum', commitment: 'latest' }]);
  expect(await funded()).toEqual(['ethereum-1000-0', 'ethereum-1001-0']);
});

const facts = async () => ({
  funders: await stage.ask(
    'SELECT wallet, min(first).funder FROM first_funders GROUP BY chain, wallet ORDER BY ALL',
  ),
  trades: await stage.ask('SELECT asset, block_number, tx_index FROM market_trades FINAL ORDER BY ALL'),
  prices: await stage.ask('SELECT asset, time, usd FROM prices FINAL WHERE usd IS NOT NULL ORDER BY ALL'),
});

/** What one run from nothing gives. */
const factsFromNothing = async (chains: DerivedChains) => {
  await emptyTables(stage.warehouse.writer, { database: DATABASE, comment: 'derived' });
  await derive(chains);
  return facts();
};

/** Derives after one batch, of which the commit carries parts on, and after all; `batchBytes` of these parts are one batch. */
const deriveWhileCarrying = async (parts: readonly Uint8Array[], batchBytes: number): Promise<void> => {
  await stage.append(parts);
  const running = stage.sink({
    batchBytesMax: batchBytes,
    events: { inserted: () => void running.stop() },
  });
  await running.ended;
  const commits = await stage.store.log.commits(SINK_GROUP);
  expect(commits.flatMap(({ metadata }) => readProgress(metadata).carried)).not.toEqual([]);
  await derive();
  await stage.drain();
  await derive();
};

const partsOf = (block: DecodedBlock): Buffer[] => blockParts(block, 2_000).map((part) => encodePart(part));

test('a block whose parts a commit carries on is derived from like every other', async () => {
  const long = partsOf(blockPaying('solana', 1, 60));
  // The parts of a large append and small blocks of another process take turns.
  const parts = long.flatMap((part, at) => [part, ...partsOf(blockPaying('solana', 100 + at))]);
  await deriveWhileCarrying(parts, 4_000);
  const found = await facts();
  expect(found.funders.length).toBeGreaterThan(60);
  expect(found).toEqual(await factsFromNothing([]));
});

/** Traders buy a coin. With its calls each sold it on in the same transaction, and was paid before. */
const blockTrading = (number: number, { isTraced = false, traders = 3 } = {}): DecodedBlock =>
  buildBlock({
    ...{ chain: 'ethereum', number, timeUnixSeconds: START },
    transactions: Array.from({ length: traders }, (_, at) => {
      const owner = `trader-${number}-${at}`;
      const bought = { owner, gaveAsset: USDC, gaveRaw: 2_000_000_000n, gotAsset: NATIVE, gotRaw: ETHER };
      const sold = { owner, gaveAsset: NATIVE, gaveRaw: ETHER, gotAsset: 'token', gotRaw: 7n };
      return {
        hash: `trade-${number}-${at}`,
        sender: owner,
        movements: [
          ...(isTraced ? [{ from: `friend-${at}`, to: `${owner}-safe`, amountRaw: 1n }] : []),
          { from: 'pool', to: owner, amountRaw: ETHER },
        ],
        swaps: (isTraced ? [bought, sold] : [bought]).map((swap) => ({ ...swap, through: 'pool' })),
      };
    }),
  });

describe('facts of a block that was derived from are those of what takes its place', () => {
  const chains: DerivedChains = [{ name: 'ethereum', commitment: 'latest' }];
  const empty = (number: number): DecodedBlock => blockPaying('ethereum', number, 0);

  test('where it is the same block, of which more is known', async () => {
    const head = [blockTrading(1_000), blockTrading(1_001), empty(1_300)];
    await stage.append(stage.encoded(...head), ETHEREUM, HEAD);
    await stage.drain();
    await derive(chains);
    expect((await facts()).trades).toHaveLength(6);
    await stage.append(stage.encoded(blockTrading(1_000, { isTraced: true })));
    await stage.drain();
    await derive(chains);
    const found = await facts();
    expect(found.trades).toHaveLength(3);
    expect(found).toEqual(await factsFromNothing(chains));
  });

  test('where it is a final one', async () => {
    const paid = (hash: string, from: string): DecodedBlock => ({
      ...buildBlock({
        ...{ chain: 'ethereum', number: 1_000, timeUnixSeconds: START },
        transactions: [
          { hash: `${hash}-tx`, sender: from, movements: [{ from, to: 'wallet', amountRaw: ETHER }] },
        ],
      }),
      hash,
    });
    await stage.append(stage.encoded(paid('abandoned', 'accused')), ETHEREUM, HEAD);
    await stage.append(stage.encoded(empty(1_400)), 1);
    await stage.drain();
    await derive(chains);
    expect((await facts()).funders).toEqual([['wallet', 'accused']]);
    await stage.append(stage.encoded(paid('final', 'zoe')), 3);
    await stage.drain();
    await derive(chains);
    expect((await facts()).funders).toEqual([['wallet', 'zoe']]);
    expect(await facts()).toEqual(await factsFromNothing(chains));
  });

  test('where it is a final one without a movement', async () => {
    await stage.append(stage.encoded({ ...blockTrading(1_000), hash: 'abandoned' }), ETHEREUM, HEAD);
    await stage.append(stage.encoded(empty(1_400)), 1);
    await stage.drain();
    await derive(chains);
    expect((await facts()).trades).toHaveLength(3);
    await stage.append(stage.encoded({ ...empty(1_000), hash: 'final' }), 3);
    await stage.drain();
    await derive(chains);
    const { trades, prices } = await facts();
    expect({ trades, prices }).toEqual({ trades: [], prices: [] });
  });

  test('where they were the only trades of their hour', async () => {
    await stage.append(stage.encoded(blockTrading(1_000), empty(1_400)), ETHEREUM, HEAD);
    await stage.drain();
    await derive(chains);
    expect((await facts()).prices).not.toEqual([]);
    await stage.append(stage.encoded(blockTrading(1_000, { isTraced: true })));
    await stage.drain();
    await derive(chains);
    const found = await facts();
    expect(found).toMatchObject({ trades: [], prices: [] });
    expect(found).toEqual(await factsFromNothing(chains));
  });
});

test('facts of a block whose parts stand on both sides of those that a commit carries on are those of one run', async () => {
  // Two processes' appends take turns, of which one is longer.
  const [short, long] = [
    partsOf(blockTrading(1, { traders: 20 })),
    partsOf(blockTrading(2, { traders: 200 })),
  ];
  const parts = [
    ...short.flatMap((part, at) => [part, ...long.slice(at, at + 1)]),
    ...long.slice(short.length),
  ];
  await deriveWhileCarrying(parts, 2_500 * short.length);
  const found = await facts();
  expect(found.trades).toHaveLength(220);
  expect(found).toEqual(await factsFromNothing([]));
});

import { afterEach, expect, test } from 'vitest';
import { openLabelEvents } from '../../events/label-events.ts';
import { openReferenceEvents } from '../../events/reference-events.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { CHAINS, findChain } from '../../investigate/model/chain.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logger.ts';
import type { PriceSource } from '../../prices/price-source.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { startScriptedNode } from '../../testing/nodes/scripted-node.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { SinkStage } from '../../testing/sink-stage.ts';
import { createAssetReader } from '../../warehouse/read/assets/assets.ts';
import { createPriceReader } from '../../warehouse/read/assets/price.ts';
import { createTransferReader } from '../../warehouse/read/create-transfer-reader.ts';
import { createMetrics } from '../create-metrics.ts';
import { startLabels } from '../sink/start-labels.ts';
import { REFERENCE_GROUP, startReferences } from '../sink/start-references.ts';
import { chainsOfWorld } from '../world/run-world.ts';
import { type DerivedChains, deriveStore } from './derive-store.ts';
import { runDerivation } from './run-derivation.ts';
import { startDerivation } from './start-derivation.ts';
import { startDescribing } from './start-describing.ts';
import { startPriceSource } from './start-price-source.ts';

const HOUR = 3_600;
const START = 1_700_000_000 - (1_700_000_000 % HOUR);
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const TOKEN = '0x00000000000000000000000000000000000000aa';
const stage = new SinkStage();
const running: { stop(): Promise<void> }[] = [];
const limits = () => ({ signal: AbortSignal.timeout(20_000), timeoutMs: 20_000 });
const ethereum = findChain('ethereum') ?? raise();

function raise(): never {
  throw new Error('the chain is not known');
}

afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

const derive = (chains: Parameters<typeof startDerivation>[0]['chains'] = [], metrics = createMetrics()) => {
  const { store, warehouse } = stage;
  const logger = createLogger({ level: 'silent' });
  const derivation = startDerivation({
    store,
    warehouse,
    chains,
    clock: systemClock,
    logger,
    metrics,
    pace: { everyMs: 100, percent: 100 },
  });
  running.push(derivation);
  return derivation;
};

const keepReferences = (): void => {
  const { store, warehouse } = stage;
  running.push(startReferences({ store, warehouse, logger: createLogger({ level: 'silent' }) }));
};

/** An hour in which ether was bought at this price, ten times for 600 dollars. */
const hourAt = (
  number: number,
  usd: number,
  { asset = NATIVE, nanoRaw = 1_000_000_000n } = {},
): DecodedBlock => {
  const [gaveRaw, gotRaw] = [600_000_000n, BigInt(Math.round((600 / usd) * 1e9)) * nanoRaw];
  return buildBlock({
    chain: 'ethereum',
    number,
    timeUnixSeconds: START + number * HOUR + 1_800,
    transactions: Array.from({ length: 10 }, (_, tx) => ({
      hash: `tx-${number}-${tx}`,
      sender: `buyer ${tx}`,
      movements: [
        { from: `buyer ${tx}`, to: 'pool', asset: USDC, amountRaw: gaveRaw },
        { from: 'pool', to: `buyer ${tx}`, asset, amountRaw: gotRaw },
      ],
      swaps: [{ owner: `buyer ${tx}`, gaveAsset: USDC, gaveRaw, gotAsset: asset, gotRaw, through: 'pool' }],
    })),
  });
};

/** Its partition of the head. */
const ETHEREUM = CHAINS.findIndex(({ name }) => name === 'ethereum');

const priceOf = async (canonicalAsset: string, timeUnixSeconds: number) => {
  const reader = createPriceReader(stage.warehouse.reader);
  const [price] = await reader.prices({ chain: ethereum }, [{ canonicalAsset, timeUnixSeconds }], limits());
  return price?.usd === undefined ? price : { ...price, usd: Number(price.usd.toPrecision(6)) };
};

test('rounds that find nothing to derive are counted apart, so that operators see that all is derived', async () => {
  const sink = stage.sink();
  const metrics = createMetrics();
  const rounds = async () => {
    const [facts, nothing] = ['facts', 'nothing'].map(
      (work) => new RegExp(`^spoor_derivation_rounds_total\\{work="${work}"\\} (\\d+)$`, 'm'),
    );
    const { text } = await metrics.expose();
    return { facts: Number(facts?.exec(text)?.[1] ?? 0), nothing: Number(nothing?.exec(text)?.[1] ?? 0) };
  };
  await stage.append(stage.encoded(hourAt(0, 2_000)));
  await stage.untilStored(sink);
  derive([], metrics);
  await expect.poll(async () => (await rounds()).nothing, PATIENCE).toBeGreaterThan(1);
  const { facts } = await rounds();
  expect(facts).toBeGreaterThan(0);
  await stage.append(stage.encoded(hourAt(2, 3_000)));
  await expect.poll(async () => (await rounds()).facts, PATIENCE).toBeGreaterThan(facts);
});

test('prices follow what arrives, and a service that starts again goes on where it was', async () => {
  const sink = stage.sink();
  await stage.append(stage.encoded(hourAt(0, 2_000)));
  const first = derive();
  const price = (hours: number) => () => priceOf('native', START + hours * HOUR + 1_800);
  await expect.poll(price(0), PATIENCE).toEqual({ usd: 2_000, source: 'market' });
  await first.stop();
  await stage.append(stage.encoded(hourAt(2, 3_000)));
  await stage.untilStored(sink);
  expect(await price(2)()).toMatchObject({ usd: 2_000 });
  derive();
  await expect.poll(price(2), PATIENCE).toEqual({ usd: 3_000, source: 'market' });
  expect(await price(1)()).toEqual({ usd: 2_500, source: 'market' });
  expect(await priceOf(TOKEN, START)).toBeNull();
});

test('nothing is derived of blocks that may still be taken back', async () => {
  await stage.append(stage.encoded(hourAt(1, 2_000), hourAt(400, 3_000)), ETHEREUM, 'transfers.head');
  await stage.drain();
  derive([{ name: 'ethereum', commitment: 'latest' }]);
  const price = (hour: number) => () => priceOf('native', START + hour * HOUR + 1_800);
  await expect.poll(price(1), PATIENCE).toMatchObject({ usd: 2_000 });
  expect(await price(400)()).toBeNull();
});

test('nothing is derived of the head of a chain of which nobody says how it is followed', async () => {
  const append = (...blocks: DecodedBlock[]) =>
    stage.append(stage.encoded(...blocks), ETHEREUM, 'transfers.head');
  const { store, warehouse } = stage;
  const bringUp = (chains: DerivedChains) =>
    deriveStore({ store, writer: warehouse.writer, chains, signal: new AbortController().signal });
  const priced = () => stage.ask("SELECT DISTINCT toHour(time) FROM prices FINAL WHERE resolution = 'hour'");
  await append(hourAt(1, 2_000), hourAt(400, 3_000));
  await stage.append(stage.encoded(hourAt(2, 2_000)));
  await stage.drain();
  await bringUp([]);
  const settled = await priced();
  expect(settled).toHaveLength(2);
  await bringUp([{ name: 'ethereum', commitment: 'latest' }]);
  expect(await priced()).toEqual(settled);
  await bringUp([{ name: 'ethereum', commitment: 'finalized' }]);
  expect(await priced()).toHaveLength(3);
});

test('of a generated world, which is final, facts are derived up to the last block', async () => {
  await stage.append(stage.encoded(hourAt(1, 2_000), hourAt(200, 3_000)), ETHEREUM, 'transfers.head');
  await stage.drain();
  const world = chainsOfWorld({ url: 'http://127.0.0.1:1', ranges: { ethereum: { first: 1, last: 200 } } });
  const { store, warehouse } = stage;
  const process = {
    ...{ config: { pricesUrl: null, derivePercent: 20 }, metrics: createMetrics() },
    ...{ logger: createLogger({ level: 'silent' }), closing: () => undefined },
  };
  running.push(runDerivation(process, store, warehouse, world));
  const price = () => priceOf('native', START + 200 * HOUR + 1_800);
  await expect.poll(price, PATIENCE).toMatchObject({ usd: 3_000 });
});

test('what a token says of itself and imported prices reach the readers, and a damaged record nobody', async () => {
  keepReferences();
  const events = await openReferenceEvents(stage.store.registry);
  const described = { chain: 'ethereum', asset: TOKEN, symbol: 'ALDER', decimals: 8 };
  const prices = { chain: 'ethereum', asset: TOKEN, source: 'alder daily' };
  await stage.store.log.append([
    { topic: 'prices', key: 'ethereum:any', value: Buffer.from([0, 0, 0, 0, 99, 1]) },
    events.describe({ ...described, symbol: 'USDC' }),
    events.describe(described),
    events.importPrices({ ...prices, time: [START, START + HOUR], usd: [3, 4] }),
    events.importPrices({ ...prices, time: [START + HOUR], usd: [5] }),
  ]);
  const price = () => priceOf(TOKEN, START + HOUR);
  await expect.poll(price, PATIENCE).toEqual({ usd: 5, source: 'import:alder daily' });
  expect(await priceOf(TOKEN, START)).toMatchObject({ usd: 3 });
  const assets = () =>
    createAssetReader(stage.warehouse.reader).assets({ chain: ethereum }, [TOKEN, USDC, 'nobody'], limits());
  await expect.poll(assets, PATIENCE).toEqual([
    { symbol: 'ALDER', decimals: 8, wrappedOf: null, peg: null },
    { symbol: 'USDC', decimals: 6, wrappedOf: null, peg: 'USD' },
    { symbol: null, decimals: null, wrappedOf: null, peg: null },
  ]);
  expect((await stage.deadLetters()).map(({ source }) => source)).toEqual(['prices/0/0']);
  // A wrong price goes, also from tables that are made again; the list's others stay.
  const wrong = { ...prices, time: [START + HOUR], reason: 'a typo', withdrawnAt: START };
  await stage.store.log.append([events.withdrawPrices(wrong)]);
  const others = { usd: 3, source: 'import:alder daily' };
  await expect.poll(price, PATIENCE).toEqual(others);
  await running.pop()?.stop();
  await stage.empty();
  await stage.store.log.forgetGroup(REFERENCE_GROUP);
  keepReferences();
  await expect.poll(price, PATIENCE).toEqual(others);
});

const SOL = 1_000_000_000n;

test('a token of an EVM chain is asked about once, and is priced from the trades that were there before', async () => {
  const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
  const node = await startScriptedNode({ answer: () => ({ result: word(9) }) });
  keepReferences();
  await stage.append(stage.encoded(hourAt(1, 4, { asset: TOKEN, nanoRaw: 1n })));
  await stage.drain();
  derive();
  const price = () => priceOf(TOKEN, START + HOUR);
  await expect.poll(() => stage.ask('SELECT count() FROM derivations'), PATIENCE).not.toEqual([['0']]);
  expect(await price()).toBeNull();
  const { store, warehouse } = stage;
  const chains = [{ name: 'ethereum', rpcUrls: [node.url] }];
  const logger = createLogger({ level: 'silent' });
  running.push(startDescribing({ store, warehouse, chains, logger, everyMs: 20 }));
  await expect.poll(price, PATIENCE).toEqual({ usd: 4, source: 'market' });
  // The listed coin of the same trades needs no asking.
  expect(node.requests).toEqual([['eth_call', 'eth_call']]);

  // History that is filled in behind what was looked at.
  const earlier = `0x${'bb'.repeat(20)}`;
  await stage.append(stage.encoded(hourAt(0, 4, { asset: earlier, nanoRaw: 1n })), 1);
  await stage.drain();
  const described = () => stage.ask('SELECT asset FROM asset_claims FINAL ORDER BY asset');
  await expect.poll(described, PATIENCE).toEqual([[TOKEN], [earlier]]);
  expect(node.requests).toHaveLength(2);
});

test('tokens are asked about though the registry was away when asking began', async () => {
  const node = await startScriptedNode({ answer: () => ({ result: `0x${'9'.padStart(64, '0')}` }) });
  keepReferences();
  await stage.append(stage.encoded(hourAt(1, 4, { asset: TOKEN, nanoRaw: 1n })));
  await stage.drain();
  const { store, warehouse } = stage;
  let isAway = true;
  const register: typeof store.registry.register = async (schema) => {
    if (!isAway) return store.registry.register(schema);
    isAway = false;
    throw new Error('the registry is away');
  };
  const chains = [{ name: 'ethereum', rpcUrls: [node.url] }];
  const logger = createLogger({ level: 'silent' });
  const away = { log: store.log, registry: { ...store.registry, register } };
  running.push(startDescribing({ store: away, warehouse, chains, logger, everyMs: 20 }));
  const described = () => stage.ask('SELECT asset FROM asset_claims FINAL');
  await expect.poll(described, PATIENCE).toEqual([[TOKEN]]);
});

test('tokens that no node told are not kept without bound: they are asked about again when they move again', async () => {
  const busy = `0x${'bb'.repeat(20)}`;
  let isBusy = true;
  const node = await startScriptedNode({
    answer: ({ params: [call] }) =>
      isBusy && (call as { to: string }).to === busy
        ? { error: { code: -32_000, message: 'busy' } }
        : { result: `0x${'9'.padStart(64, '0')}` },
  });
  keepReferences();
  const moves = (hour: number) => stage.encoded(hourAt(hour, 4, { asset: busy, nanoRaw: 1n }));
  await stage.append([...stage.encoded(hourAt(0, 4, { asset: TOKEN, nanoRaw: 1n })), ...moves(1)]);
  await stage.drain();
  const { store, warehouse } = stage;
  const chains = [{ name: 'ethereum', rpcUrls: [node.url] }];
  const logger = createLogger({ level: 'silent' });
  running.push(startDescribing({ store, warehouse, chains, logger, everyMs: 20, leftOutMax: 0 }));
  const described = () => stage.ask('SELECT asset FROM asset_claims FINAL ORDER BY asset');
  await expect.poll(described, PATIENCE).toEqual([[TOKEN]]);
  isBusy = false;
  await stage.append(moves(2));
  await stage.drain();
  await expect.poll(described, PATIENCE).toEqual([[TOKEN], [busy]]);
});

test('a source outside is asked for days of which the chain says nothing, once, and never overrules it', async () => {
  keepReferences();
  // The first hour has a market; the other lies on a day without one.
  const quiet = buildBlock({
    chain: 'ethereum',
    number: 900,
    timeUnixSeconds: START + 72 * HOUR,
    transactions: [{ hash: 'quiet', sender: 'ann', movements: [{ from: 'ann', to: 'bob', amountRaw: 1n }] }],
  });
  await stage.append(stage.encoded(hourAt(1, 2_000), quiet));
  await stage.drain();
  derive();
  await expect.poll(() => priceOf('native', START + HOUR), PATIENCE).not.toBeNull();
  const asked: number[] = [];
  const source: PriceSource = {
    coinPrices: async ({ fromUnixSeconds }) => {
      asked.push(fromUnixSeconds);
      return [{ timeUnixSeconds: fromUnixSeconds, usd: 1_234 }];
    },
  };
  const { store, warehouse } = stage;
  const logger = createLogger({ level: 'silent' });
  running.push(startPriceSource({ store, warehouse, source, logger, everyMs: 20 }));
  const price = () => priceOf('native', START + 72 * HOUR);
  await expect.poll(price, PATIENCE).toEqual({ usd: 1_234, source: 'import:http' });
  expect(await priceOf('native', START + HOUR)).toMatchObject({ source: 'market' });
  expect(asked).toEqual([START + 72 * HOUR - ((START + 72 * HOUR) % 86_400)]);
});

/** Payments one after the other, an hour from one to the next; the payer's own transactions. */
const payments = (first: number, ...rows: readonly (readonly [from: string, to: string, sol: number])[]) =>
  rows.map(([from, to, sol], at) =>
    buildBlock({
      chain: 'solana',
      number: first + at,
      timeUnixSeconds: START + (first + at) * HOUR,
      transactions: [
        {
          hash: `pay-${first + at}`,
          sender: from,
          movements: [{ from, to, amountRaw: BigInt(sol) * SOL }],
        },
      ],
    }),
  );

test('an address that sweeps to an exchange is named after it, is one of its wallets, and no more when it stops', async () => {
  const sink = stage.sink();
  const { store, warehouse } = stage;
  running.push(startLabels({ store, warehouse, logger: createLogger({ level: 'silent' }) }));
  const labels = await openLabelEvents(store.registry);
  const hot = { kind: 'exchange' as const, entity: 'alder' };
  await store.log.append([
    labels.assert(buildLabel({ ...hot, address: 'hot', name: 'alder 1' })),
    // A list that knows one deposit address does not make its customer another.
    labels.assert(buildLabel({ ...hot, address: 'listed', name: 'alder deposit 7' })),
  ]);
  const rows = [
    ['ann', 'box', 5],
    ['box', 'hot', 5],
    ['bob', 'box', 7],
    ['box', 'hot', 7],
    ['cem', 'dan', 9],
    ['dan', 'listed', 9],
    ['cem', 'dan', 4],
    ['dan', 'listed', 4],
  ] as const;
  await stage.append(stage.encoded(...payments(0, ...rows)));
  derive();
  const shown = async () => {
    const labels = await createTransferReader(warehouse.reader).labels(
      { chain: 'solana' },
      ['box', 'dan'],
      limits(),
    );
    return { box: labels[0] ?? undefined, dan: labels[1] ?? undefined };
  };
  const wallets = () =>
    stage.ask(`SELECT address, entity FROM service_wallets FINAL WHERE address IN ('box', 'dan')`);
  await expect.poll(shown, PATIENCE).toEqual({ box: { name: 'alder deposit', kind: 'exchange' } });
  await expect.poll(wallets, PATIENCE).toEqual([['box', 'alder']]);
  const [said] = await stage.ask("SELECT inherited_from, evidence FROM labels FINAL WHERE address = 'box'");
  expect(said).toEqual(['hot', '2 sweeps, 100 % of what 2 senders paid in; the last one in pay-3']);

  // A list that knows better goes before it, and no longer than it says so.
  const theft = buildLabel({ address: 'box', kind: 'hack', name: 'a thief' });
  await store.log.append([labels.assert(theft)]);
  await expect.poll(wallets, PATIENCE).toEqual([]);
  await store.log.append([labels.revoke({ ...theft, reason: 'a mistake', revokedAt: START })]);
  await expect.poll(wallets, PATIENCE).toEqual([['box', 'alder']]);

  await stage.append(stage.encoded(...payments(8, ['ann', 'box', 6], ['box', 'shop', 3], ['box', 'pub', 3])));
  await stage.untilStored(sink);
  await expect.poll(shown, PATIENCE).toEqual({});
  await expect.poll(wallets, PATIENCE).toEqual([]);
});

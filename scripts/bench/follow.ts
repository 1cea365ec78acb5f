import { parseArgs } from 'node:util';
import { follow } from '../../services/investigate/follow/follow.ts';
import { NO_HISTORIES } from '../../services/investigate/follow/know-wallet.ts';
import { FIRST_PAGE_ROWS } from '../../services/investigate/follow/rules.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { NATIVE } from '../../services/investigate/model/movement.ts';
import { systemClock } from '../../services/platform/clock.ts';
import { type BulkOptions, bulkAddress } from '../../services/testing/world/bulk-transfers.ts';
import { createAssetReader } from '../../services/warehouse/read/assets.ts';
import { createTransferReader } from '../../services/warehouse/read/create-transfer-reader.ts';
import { createPriceReader } from '../../services/warehouse/read/price.ts';
import { type BenchStore, say, secondsOf, withStore } from './bench-store.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { fillTables } from './fill-tables.ts';
import { median, percentile } from './percentile.ts';

const TRANSFERS = 10_000_000;
const HOPS = 400;
const TRAILS = 100;
const WARM_UP = 50;
const SEED = 1;
const ASKED_BY_WALLET = ['account_entries', 'swaps'];

const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { transfers: { type: 'string', default: String(TRANSFERS) } },
  });
  const transfers = Number(values.transfers);
  // Each size is a world of its own: as many transfers a wallet in both, so that only the size of the tables differs.
  const small = await measureAt(transfers / 10);
  const large = await measureAt(transfers);
  return toFigures(transfers, small, large);
};

const measureAt = (transfers: number): Promise<Measured> =>
  withStore(async (bench) => {
    const bulk = { seed: SEED, transfers, chain: 'solana' };
    await fillTables(bench, { bulk, asked: ASKED_BY_WALLET });
    const measured = await measure(bench, bulk);
    say(`${transfers} transfers: ${describe(measured)}`);
    return measured;
  });

type Measured = {
  readonly hopsMs: number[];
  readonly selectsMs: number[];
  readonly trailsMs: number[];
};

const toFigures = (transfers: number, small: Measured, large: Measured): Figure[] => {
  const subject = `${transfers} transfers`;
  const ratios = large.hopsMs.map((ms, i) => ms / (large.selectsMs[i] ?? Number.NaN));
  const growth = median(large.hopsMs) / median(small.hopsMs);
  return [
    toFigure(
      { name: 'follow.hop_p50_over_select_1', unit: 'one hop over SELECT 1', subject, atMost: 4 },
      ratios,
    ),
    toFigure({ name: 'follow.hop_p50_ms', unit: 'ms', subject }, large.hopsMs),
    toFigure({ name: 'follow.hop_p99_ms', unit: 'ms', subject }, [percentile(large.hopsMs, 0.99)]),
    toFigure({ name: 'follow.trail25_p99_ms', unit: 'ms', subject }, [percentile(large.trailsMs, 0.99)]),
    toFigure(
      {
        name: 'follow.growth_10m_100m',
        unit: `hop p50 at ${transfers} over ${transfers / 10}`,
        subject,
        atMost: 1.3,
      },
      [growth],
    ),
  ];
};

/** Wallets by activity: a few hot ones, most in the middle, some that hardly ever moved. */
const walletOf = (bulk: BulkOptions, at: number): string => {
  const wallets = bulk.transfers / 20;
  return bulkAddress(
    bulk,
    at % 20 === 0 ? (at / 20) % 6 : 6 + Math.floor((wallets - 6) * ((at * 0.618_034) % 1) ** 3),
  );
};

const measure = async ({ warehouse }: BenchStore, bulk: BulkOptions): Promise<Measured> => {
  const reader = createTransferReader(warehouse.reader);
  const prices = createPriceReader(warehouse.reader);
  const assets = createAssetReader(warehouse.reader);
  const limits = () => ({ signal: AbortSignal.timeout(30_000), timeoutMs: 30_000 });
  const hop = (at: number) =>
    reader.departures({
      chain: 'solana',
      wallet: walletOf(bulk, at),
      family: NATIVE,
      ownOnly: false,
      from: { blockTime: 0, blockNumber: 0, txIndex: 0, step: 0 },
      limit: FIRST_PAGE_ROWS,
      ...limits(),
    });
  const selectOne = async () =>
    (await warehouse.reader.query({ query: 'SELECT 1', format: 'JSONCompact' })).json();
  const chain = findChain('solana');
  if (!chain) throw new Error('the chain of the benchmark is not known');
  const trail = (at: number) =>
    follow(
      {
        chain,
        start: walletOf(bulk, at),
        family: NATIVE,
        atUnixSeconds: null,
        amount: null,
        counterparty: null,
        backward: false,
        maxHops: 25,
      },
      {
        reader,
        prices,
        assets,
        histories: NO_HISTORIES,
        clock: systemClock,
        signal: AbortSignal.timeout(90_000),
      },
    );
  const measured: Measured = { hopsMs: [], selectsMs: [], trailsMs: [] };
  for (let at = -WARM_UP; at < HOPS; at += 1) {
    const selectMs = 1_000 * (await secondsOf(selectOne));
    const hopMs = 1_000 * (await secondsOf(() => hop(at + WARM_UP)));
    if (at < 0) continue;
    measured.selectsMs.push(selectMs);
    measured.hopsMs.push(hopMs);
  }
  for (let at = 0; at < TRAILS; at += 1) measured.trailsMs.push(1_000 * (await secondsOf(() => trail(at))));
  return measured;
};

const describe = ({ hopsMs, selectsMs, trailsMs }: Measured): string =>
  `hop p50 ${median(hopsMs).toFixed(1)} ms, SELECT 1 ${median(selectsMs).toFixed(1)} ms, trail p99 ${percentile(trailsMs, 0.99).toFixed(0)} ms`;

export const bench: Bench = { name: 'follow', run };

import { type BulkOptions, bulkAddress } from '../../services/demo-world/bulk-transfers.ts';
import { follow } from '../../services/investigate/follow/follow.ts';
import { FIRST_PAGE_ROWS } from '../../services/investigate/follow/rules.ts';
import { NO_BACKFILLS } from '../../services/investigate/model/backfills.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { NATIVE } from '../../services/investigate/model/movement.ts';
import { systemClock } from '../../services/platform/clock.ts';
import type { HeldLabels } from '../../services/warehouse/labels/held-labels.ts';
import { createAssetReader } from '../../services/warehouse/read/assets/assets.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { createTransferReader } from '../../services/warehouse/read/create-transfer-reader.ts';
import { type BenchStore, say, secondsOf, withHeldLabels, withStore } from './bench-store.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { fillTables } from './fill-tables.ts';
import { numberOptions } from './number-options.ts';
import { median, percentile } from './percentile.ts';
import { plantTrails } from './plant-trails.ts';

const TRANSFERS = 10_000_000;
/** Smaller sizes have too few wallets for the trails. */
const TRANSFERS_MIN = 100_000;
const HOPS = 400;
const TRAILS = 100;
const TRAIL_HOPS = 25;
const HOT_WALLETS = 6;
/** A prime, so that it visits every rank once. */
const STRIDE = 7_919;
const WARM_UP = 50;
const SEED = 1;
const ASKED_BY_WALLET = ['account_entries', 'swaps'];

const run = async (argv: readonly string[]): Promise<Figure[]> => {
  // A tenth of it is measured, too.
  const { transfers } = numberOptions(argv, { transfers: [TRANSFERS, 10 * TRANSFERS_MIN] });
  // Both sizes have as many transfers per wallet, so that only the tables' size differs.
  const small = await measureAt(transfers / 10);
  const large = await measureAt(transfers);
  return toFigures(transfers, small, large);
};

const measureAt = (transfers: number): Promise<Measured> =>
  withStore(async (bench) => {
    const bulk = { seed: SEED, transfers, chain: 'solana' };
    let plantedSince = 0;
    const after = (last: DecodedBlock) => {
      plantedSince = (last.timeUnixSeconds ?? 0) + 1;
      return plantTrails(last, {
        trails: TRAILS,
        hops: TRAIL_HOPS,
        walletOf: (at) => plantedWallet(bulk, at),
      });
    };
    await fillTables(bench, { bulk, asked: ASKED_BY_WALLET, after });
    const measured = await withHeldLabels(bench, (held) => measure(bench, { bulk, plantedSince, held }));
    say(`${transfers} transfers: ${describe(measured)}`);
    return measured;
  });

type Measured = {
  readonly hopsMs: number[];
  readonly selectsMs: number[];
  readonly trailsMs: number[];
  /** Hops of each trail. */
  readonly trailHops: number[];
  /** Measured with each trail. */
  readonly trailSelectsMs: number[];
};

const toFigures = (transfers: number, small: Measured, large: Measured): Figure[] => {
  const subject = `${transfers} transfers`;
  const ratios = overSelects(large);
  const { trailsMs, selectsMs, trails } = wholeTrails(large);
  const trailed = `${subject}, ${trails} of ${TRAILS} trails have ${TRAIL_HOPS} hops and count`;
  return [
    toFigure(
      { name: 'follow.hop_p50_over_select_1', unit: 'one hop over SELECT 1', subject, atMost: 4 },
      ratios,
    ),
    toFigure({ name: 'follow.hop_p50_ms', unit: 'ms', subject }, large.hopsMs),
    toFigure({ name: 'follow.hop_p99_ms', unit: 'ms', subject }, [percentile(large.hopsMs, 0.99)]),
    toFigure({ name: 'follow.hop_p99_over_select_1', unit: "its p99 over SELECT 1's", subject, atMost: 4 }, [
      percentile(large.hopsMs, 0.99) / percentile(large.selectsMs, 0.99),
    ]),
    toFigure({ name: 'follow.trail25_p99_ms', unit: 'ms', subject: trailed, atMost: 500 }, [
      percentile(trailsMs, 0.99),
    ]),
    toFigure({ name: 'follow.trail25_p99_over_select_1', unit: 'a trail over SELECT 1', subject: trailed }, [
      percentile(trailsMs, 0.99) / median(selectsMs),
    ]),
    toFigure(
      {
        name: 'follow.growth_10m_100m',
        unit: `hop over SELECT 1 at ${transfers}, over the same at ${transfers / 10}`,
        subject,
        atMost: 1.3,
      },
      [median(ratios) / median(overSelects(small))],
    ),
    toFigure(
      { name: 'follow.growth_10m_100m_ms', unit: `hop p50 at ${transfers} over ${transfers / 10}`, subject },
      [median(large.hopsMs) / median(small.hopsMs)],
    ),
  ];
};

/** Each is divided by the `SELECT 1` before it, because the machine's speed changes during the hour of filling. */
const overSelects = ({ hopsMs, selectsMs }: Measured): number[] =>
  hopsMs.map((ms, at) => ms / (selectsMs[at] ?? Number.NaN));

/** Trails of the intended length. */
const wholeTrails = ({ trailsMs, trailHops, trailSelectsMs }: Measured) => {
  const isWhole = (_: number, at: number): boolean => trailHops[at] === TRAIL_HOPS;
  const whole = trailsMs.filter(isWhole);
  return { trailsMs: whole, selectsMs: trailSelectsMs.filter(isWhole), trails: whole.length };
};

/** Wallets by activity: a few hot ones, most in the middle, some rarely active. */
const walletOf = (bulk: BulkOptions, at: number): string => {
  const wallets = bulk.transfers / 20;
  return bulkAddress(
    bulk,
    at % 20 === 0 ? (at / 20) % 6 : 6 + Math.floor((wallets - 6) * ((at * 0.618_034) % 1) ** 3),
  );
};

/** One hot wallet in the middle of each trail; the others have all ranks and belong to one trail each. */
const plantedWallet = (bulk: BulkOptions, at: number): string => {
  const [trail, place] = [Math.floor(at / (TRAIL_HOPS + 1)), at % (TRAIL_HOPS + 1)];
  const others = bulk.transfers / 20 - HOT_WALLETS;
  return bulkAddress(bulk, place === 13 ? trail % HOT_WALLETS : HOT_WALLETS + ((at * STRIDE) % others));
};

const measure = async (
  { warehouse }: BenchStore,
  { bulk, plantedSince, held }: { bulk: BulkOptions; plantedSince: number; held: HeldLabels },
): Promise<Measured> => {
  const reader = createTransferReader(warehouse.reader, systemClock, held);
  const prices = createPriceReader(warehouse.reader);
  const assets = createAssetReader(warehouse.reader);
  const limits = () => ({ signal: AbortSignal.timeout(30_000), timeoutMs: 30_000 });
  const hop = (at: number) =>
    reader.flows(
      {
        ...{ chain: 'solana', side: 'departures', canonicalAsset: NATIVE, ownOnly: false },
        limit: FIRST_PAGE_ROWS,
      },
      [{ wallet: walletOf(bulk, at), from: { blockTime: 0, blockNumber: 0, txIndex: 0, step: 0 } }],
      limits(),
    );
  const selectOne = async () =>
    (await warehouse.reader.query({ query: 'SELECT 1', format: 'JSONCompact' })).json();
  const chain = findChain('solana');
  if (!chain) throw new Error('the chain of the benchmark is not known');
  const trail = (at: number) =>
    follow(
      {
        chain,
        start: plantedWallet(bulk, at * (TRAIL_HOPS + 1)),
        canonicalAsset: NATIVE,
        atUnixSeconds: plantedSince,
        amount: null,
        tracedRaw: null,
        counterparty: null,
        backward: false,
        maxHops: TRAIL_HOPS,
      },
      {
        reader,
        prices,
        assets,
        backfills: NO_BACKFILLS,
        clock: systemClock,
        signal: AbortSignal.timeout(90_000),
      },
    );
  const measured: Measured = { hopsMs: [], selectsMs: [], trailsMs: [], trailHops: [], trailSelectsMs: [] };
  for (let at = -WARM_UP; at < HOPS; at += 1) {
    const selectMs = 1_000 * (await secondsOf(selectOne));
    const hopMs = 1_000 * (await secondsOf(() => hop(at + WARM_UP)));
    if (at < 0) continue;
    measured.selectsMs.push(selectMs);
    measured.hopsMs.push(hopMs);
  }
  for (let at = 0; at < TRAILS; at += 1) {
    measured.trailSelectsMs.push(1_000 * (await secondsOf(selectOne)));
    const seconds = await secondsOf(async () => {
      measured.trailHops.push((await trail(at)).hops.length);
    });
    measured.trailsMs.push(1_000 * seconds);
  }
  return measured;
};

const describe = ({ hopsMs, selectsMs, trailsMs }: Measured): string =>
  `hop p50 ${median(hopsMs).toFixed(1)} ms, SELECT 1 ${median(selectsMs).toFixed(1)} ms, trail p99 ${percentile(trailsMs, 0.99).toFixed(0)} ms`;

export const bench: Bench = { name: 'follow', run };

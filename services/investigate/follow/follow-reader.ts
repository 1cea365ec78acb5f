import type { Clock } from '../../platform/clock.ts';
import type { Address } from '../model/address.ts';
import type { Asset } from '../model/asset.ts';
import type { AssetReader } from '../model/asset-reader.ts';
import type { Backfills } from '../model/backfills.ts';
import type { ControlReader, PlacedControlEvent } from '../model/control-reader.ts';
import { type HoldingReader, NO_HOLDINGS } from '../model/holding-reader.ts';
import type { PriceReader } from '../model/price-reader.ts';
import type { ContiguousRange, OnChain, TransferReader } from '../model/transfer-reader.ts';
import { createReadSession, type ReadSession } from '../session/create-read-session.ts';
import type { Reads } from '../session/kind.ts';
import { kindsOf } from '../session/kinds/kinds-of.ts';
import { kind } from '../session/kinds/make-kind.ts';
import { transferKinds } from '../session/kinds/transfer-kinds.ts';
import { type Count, openReads } from '../session/open-reads.ts';
import { READ_TIMEOUT_MS, SIGNING_RESERVE_MS } from './rules.ts';

export type FollowDependencies = {
  readonly reader: TransferReader;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
  /** Tells a wallet's balance if the rows do not. Without it such balances stay unknown. */
  readonly holdings?: HoldingReader;
  /** Tells which balances issuers froze. Without it that stays unknown. */
  readonly control?: FreezeReader;
  /** As of before the first read: rows that arrive meanwhile do not make a wallet known to this trail. */
  readonly backfills: Backfills;
  readonly clock: Clock;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

type FreezeReader = Pick<ControlReader, 'freezes' | 'controlSpan'>;

const NO_FREEZES: FreezeReader = {
  freezes: async (_, wallets) => wallets.map(() => null),
  controlSpan: async (_, chains) => chains.map(() => null),
};

type Readers = Pick<FollowDependencies, 'reader' | 'prices' | 'assets' | 'holdings' | 'control'>;

/** Holders whose freezes one query finds well. */
const FREEZES_MAX = 1_000;

/** Queries about transfers are counted. */
const followKinds = (
  { reader, prices, assets, holdings = NO_HOLDINGS, control = NO_FREEZES }: Readers,
  count: Count,
) => ({
  ...transferKinds(count(reader)),
  // In one query, however many: a trail asks for those of its last hop with all others.
  prices: kind({ query: prices.prices }),
  ...kindsOf(assets),
  ...kindsOf(holdings),
  freezes: kind<OnChain & { readonly asset: Asset }, Address, PlacedControlEvent | null>({
    query: (...asked) => control.freezes(...asked),
    keysMax: FREEZES_MAX,
  }),
  controlSpan: kind<object, string, ContiguousRange | null>({
    query: (...asked) => control.controlSpan(...asked),
  }),
});

type FollowKinds = ReturnType<typeof followKinds>;
export type FollowReads = Reads<FollowKinds>;

type Opening = Pick<FollowDependencies, 'clock' | 'signal'> & Readers;
type Budget = { readonly ms: number; readonly rowsMax?: number };

export const openFollow = (dependencies: Opening, { ms, ...rows }: Budget): ReadSession<FollowKinds> =>
  createReadSession(
    openReads((count) => followKinds(dependencies, count), rows),
    { ...dependencies, budget: { ms, readMs: READ_TIMEOUT_MS, keptMs: SIGNING_RESERVE_MS } },
  );

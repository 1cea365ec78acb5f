import type { Clock } from '../../platform/clock.ts';
import type { AssetReader } from '../model/asset-reader.ts';
import type { Backfills } from '../model/backfills.ts';
import { type HoldingReader, NO_HOLDINGS } from '../model/holding-reader.ts';
import type { PriceReader } from '../model/price-reader.ts';
import type { TransferReader } from '../model/transfer-reader.ts';
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
  /** As of before the first read: rows that arrive meanwhile do not make a wallet known to this trail. */
  readonly backfills: Backfills;
  readonly clock: Clock;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

type Readers = Pick<FollowDependencies, 'reader' | 'prices' | 'assets' | 'holdings'>;

/** Queries about transfers are counted. */
const followKinds = ({ reader, prices, assets, holdings = NO_HOLDINGS }: Readers, count: Count) => ({
  ...transferKinds(count(reader)),
  // In one query, however many: a trail asks for those of its last hop with all others.
  prices: kind({ query: prices.prices }),
  ...kindsOf(assets),
  ...kindsOf(holdings),
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

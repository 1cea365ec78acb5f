import type { TraceReader } from '../model/trace-reader.ts';
import type { Ask } from './ask.ts';
import type { FitsFound } from './fits/find-fits.ts';
import { SEARCHED_MAX } from './rules.ts';
import type { PreparedSearch } from './search.ts';
import type { TraceWindow } from './trace-answer.ts';

type Wallets = Awaited<ReturnType<TraceReader['serviceWallets']>>;

/** All wallets of the service; null where its notes come out of the pool alone that they went into. */
export const readSearched = async (
  { middle, found }: PreparedSearch,
  { reader, limits }: Ask,
): Promise<Wallets | null> =>
  found.mode === 'fixed'
    ? null
    : reader.serviceWallets({ ...limits, entity: middle.entity, limit: SEARCHED_MAX });

export const describeWindow = (
  { request, middle, range, pool }: PreparedSearch,
  { read, complete, routers }: Pick<FitsFound, 'read' | 'complete' | 'routers'>,
  wallets: Wallets | null,
): TraceWindow => {
  const addresses = wallets?.addresses ?? [pool, ...routers];
  // A deposit address that no list knows was searched through the service behind it, a pool behind a router through that.
  const searched = [...new Set([request.counterparty, ...addresses])];
  const searchedTotal =
    wallets === null ? searched.length : wallets.total + (middle.depositAddress === null ? 0 : 1);
  return {
    ...range,
    ...{ searched: searched.slice(0, SEARCHED_MAX), searchedTotal },
    ...{ transactions: read, complete },
  };
};

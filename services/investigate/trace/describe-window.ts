import type { TraceReader } from '../model/trace-reader.ts';
import type { Ask } from './ask.ts';
import type { FitsFound } from './fits/find-fits.ts';
import { SEARCHED_MAX } from './rules.ts';
import type { PreparedSearch } from './search.ts';
import type { TraceWindow } from './trace-answer.ts';

type Wallets = Awaited<ReturnType<TraceReader['serviceWallets']>>;

/** All wallets of the service: what each of them paid and was paid is read, whichever of it can be of the anchor. */
export const readSearched = ({ middle }: PreparedSearch, { reader, limits }: Ask): Promise<Wallets> =>
  reader.serviceWallets({ ...limits, entity: middle.entity, limit: SEARCHED_MAX });

export const describeWindow = (
  { request, middle, range }: PreparedSearch,
  { read, complete }: Pick<FitsFound, 'read' | 'complete'>,
  { addresses, total }: Wallets,
): TraceWindow => {
  // A deposit address that no list knows was searched through the service behind it.
  const searched = [...new Set([request.counterparty, ...addresses])].slice(0, SEARCHED_MAX);
  const searchedTotal = total + (middle.depositAddress === null ? 0 : 1);
  return { ...range, searched, searchedTotal, transactions: read, complete };
};

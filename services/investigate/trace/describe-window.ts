import type { ServiceWallets } from '../model/trace-reader.ts';
import type { MatchesFound } from './matches/find-matches.ts';
import type { QueryContext } from './query-context.ts';
import { SEARCHED_MAX } from './rules.ts';
import type { PreparedSearch } from './search.ts';
import type { TraceWindow } from './trace-answer.ts';

/** The window and all known wallets of the service, whose inflows and outflows the search reads. */
export const readSearched = async (
  { intermediary }: PreparedSearch,
  { reads, onChain }: QueryContext,
): Promise<ServiceWallets> => {
  const [wallets] = await reads.serviceWallets({ ...onChain, limit: SEARCHED_MAX }, [intermediary.entity]);
  return wallets as ServiceWallets;
};

export const describeWindow = (
  { request, intermediary, range }: PreparedSearch,
  { read, complete }: Pick<MatchesFound, 'read' | 'complete'>,
  { addresses, total }: ServiceWallets,
): TraceWindow => {
  // An unlisted deposit address was searched through the service behind it.
  const searched = [...new Set([request.counterparty, ...addresses])].slice(0, SEARCHED_MAX);
  const searchedTotal = total + (intermediary.depositAddress === null ? 0 : 1);
  return { ...range, searched, searchedTotal, transactions: read, complete };
};

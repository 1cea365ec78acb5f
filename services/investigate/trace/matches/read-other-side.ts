import type { CanonicalAsset } from '../../model/asset.ts';
import type { AmountRange, ServiceTransfer } from '../../model/trace-reader.ts';
import type { QueryContext } from '../query-context.ts';
import type { PreparedSearch } from '../search.ts';

type OtherSideQuery = AmountRange & { readonly canonicalAsset: CanonicalAsset; readonly limit: number };

/** The service's payouts when the anchor was a deposit, and its deposits otherwise, in the searched time. */
export const readOtherSide = async (
  { request, intermediary, range }: Pick<PreparedSearch, 'request' | 'intermediary' | 'range'>,
  { minRaw, maxRaw, ...asked }: OtherSideQuery,
  { reads, onChain }: QueryContext,
): Promise<readonly ServiceTransfer[]> => {
  const side = { ...onChain, ...asked, entity: intermediary.entity, direction: request.direction };
  const { fromUnixSeconds, toUnixSeconds } = range;
  const [transfers = []] = await reads.serviceTransfers(side, [
    { minRaw, maxRaw, fromUnixSeconds, toUnixSeconds },
  ]);
  return transfers;
};

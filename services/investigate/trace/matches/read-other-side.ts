import type { CanonicalAsset } from '../../model/asset.ts';
import type { AmountRange, ServiceTransfer } from '../../model/trace-reader.ts';
import type { QueryContext } from '../query-context.ts';
import type { PreparedSearch } from '../search.ts';

type OtherSideQuery = AmountRange & { readonly canonicalAsset: CanonicalAsset; readonly limit: number };

/** The service's payouts when the anchor was a deposit, and its deposits otherwise, in the searched time. */
export const readOtherSide = (
  { request, intermediary, range }: Pick<PreparedSearch, 'request' | 'intermediary' | 'range'>,
  asked: OtherSideQuery,
  { reader, onChain }: QueryContext,
): Promise<readonly ServiceTransfer[]> =>
  reader.serviceTransfers({
    ...onChain,
    ...range,
    ...asked,
    entity: intermediary.entity,
    direction: request.direction,
  });

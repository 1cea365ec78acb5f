import type { CanonicalAsset } from '../../model/asset.ts';
import type { AmountRange, ServiceTransfer } from '../../model/trace-reader.ts';
import type { Ask } from '../ask.ts';
import type { PreparedSearch } from '../search.ts';

type Asked = AmountRange & { readonly canonicalAsset: CanonicalAsset; readonly limit: number };

/** What the service paid out where the anchor was paid in, and the other way, in the time that is searched. */
export const readOtherSide = (
  { request, middle, range }: Pick<PreparedSearch, 'request' | 'middle' | 'range'>,
  asked: Asked,
  { reader, limits }: Ask,
): Promise<readonly ServiceTransfer[]> =>
  reader.serviceTransfers({
    ...{ ...limits, ...range, ...asked },
    ...{ entity: middle.entity, direction: request.direction },
  });

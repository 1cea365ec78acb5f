import type { FlowsRequest } from '../../model/transfer-reader.ts';
import type { FlowSide } from '../direction.ts';
import { startPosition } from '../find-asset.ts';
import type { FollowContext, Stand } from '../follow-context.ts';
import type { Allocation } from '../payments/allocate-outflows.ts';
import type { Reading } from '../payments/gather-outflows.ts';
import { readFlows } from '../payments/read-flows.ts';

/** What is asked of a wallet. */
export const toReading = (context: FollowContext, stand: Stand): [Allocation, Omit<Reading, 'firstPage'>] => {
  const { request, direction, asset, pages, refunds } = context;
  const { chain } = request;
  const { onward, counter } = direction;
  return [
    { chain, ...stand, canonicalAsset: asset.canonicalAsset, direction },
    {
      ...{ start: startPosition(request), sizes: pages, refunds },
      readPage: pageOf(context, stand, { side: onward, transfersOnly: false }),
      // Only transfers bring money that a payment may pass on.
      readCounterPage: pageOf(context, stand, { side: counter, transfersOnly: true }),
    },
  ];
};

export const pageOf =
  (
    context: FollowContext,
    { wallet }: Stand,
    { side, ...chosen }: { readonly side: FlowSide } & Pick<FlowsRequest, 'transfersOnly' | 'aheadRaw'>,
  ): Reading['readPage'] =>
  (from, limit) =>
    readFlows(context, side, { wallet, from, limit, ...chosen });

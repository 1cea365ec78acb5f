import type { FlowsRequest } from '../../model/transfer-reader.ts';
import { startPosition } from '../begin-journey.ts';
import type { Journey, Stand } from '../journey.ts';
import type { Reading } from '../payments/gather-outgoing.ts';
import { type FlowSide, flowSides, readFlows } from '../payments/read-flows.ts';
import type { TakeContext } from '../payments/take-outgoing.ts';

/** What is asked of a wallet. */
export const toReading = (journey: Journey, stand: Stand): [TakeContext, Omit<Reading, 'firstPage'>] => {
  const { request, asset, pages, refunds } = journey;
  const { chain, backward } = request;
  const { onward, counter } = flowSides(backward);
  return [
    { chain, ...stand, canonicalAsset: asset.canonicalAsset, backward },
    {
      ...{ start: startPosition(request), sizes: pages, refunds },
      readPage: pageOf(journey, stand, { side: onward, transfersOnly: false }),
      // Only transfers bring money that a payment may pass on.
      readCounterPage: pageOf(journey, stand, { side: counter, transfersOnly: true }),
    },
  ];
};

export const pageOf =
  (
    journey: Journey,
    { wallet }: Stand,
    { side, ...chosen }: { readonly side: FlowSide } & Pick<FlowsRequest, 'transfersOnly' | 'aheadRaw'>,
  ): Reading['readPage'] =>
  (from, limit) =>
    readFlows(journey, side, { wallet, from, limit, ...chosen });

import type { Address } from '../model/address.ts';
import { passingKind } from '../model/label.ts';
import { findFarSide } from './bridges/find-far-side.ts';
import { type Ended, endUnread, endWhole, type UnlabelledHop, type UnreadPlace } from './decide-hop.ts';
import { type FollowContext, readLabels } from './follow-context.ts';
import { largestOf, withNames } from './name-branches.ts';
import type { FoundHop } from './trail.ts';

type Arriving = Pick<UnreadPlace, 'isRetry'> & {
  readonly wallet: Address;
  readonly hop: UnlabelledHop;
};

/** Adds the hop with its labels; gives the end where it leads to a service. */
export const arrive = async (
  context: FollowContext,
  { wallet, hop, isRetry }: Arriving,
  hops: FoundHop[],
): Promise<Ended | null> => {
  const labelled = await labelHop(context, hop, { wallet, isFirst: hops.length === 0, isRetry });
  if (labelled.type === 'end') return labelled;
  hops.push(labelled.hop);
  // Only how it ends is still to be told.
  if (hops.length >= context.request.maxHops) context.details.begin(hops);
  return endAtService(context, labelled.hop);
};

type Labelled = Ended | { readonly type: 'hop'; readonly hop: FoundHop };

const labelHop = async (
  context: FollowContext,
  hop: UnlabelledHop,
  place: UnreadPlace,
): Promise<Labelled> => {
  try {
    const shown = largestOf(hop.others);
    const labels = await readLabels(context, [hop.to, ...shown.map(({ to }) => to)]);
    const toLabel = labels.get(hop.to) ?? null;
    const others = await withNames(context, shown, labels);
    return { type: 'hop', hop: { ...hop, toLabel, others } };
  } catch (error) {
    return endUnread(place, error);
  }
};

const endAtService = async (context: FollowContext, hop: FoundHop): Promise<Ended | null> => {
  const { to: address, toLabel } = hop;
  if (toLabel === null) return null;
  const kind = passingKind(toLabel);
  const why = { type: 'reached', label: toLabel } as const;
  switch (kind) {
    case 'bridge': {
      const crossed = await findFarSide(context, hop);
      return endWhole({ reason: 'bridge', address, why, ...crossed });
    }
    case 'exchange':
    case 'mixer':
      return endWhole({ reason: kind, address, why, caveats: [] });
    default:
      return null;
  }
};

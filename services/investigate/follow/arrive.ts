import type { Address } from '../model/address.ts';
import { passingKind } from '../model/label.ts';
import { findFarSide } from './bridges/find-far-side.ts';
import { type Ended, endWhole, type UnlabelledHop } from './decide-hop.ts';
import { endUnread, type UnreadPlace } from './end-unread.ts';
import { type Journey, readLabels } from './journey.ts';
import { withNames } from './name-branches.ts';
import type { FoundHop } from './trail.ts';

type Arriving = Pick<UnreadPlace, 'isAgain'> & {
  readonly wallet: Address;
  readonly hop: UnlabelledHop;
};

/** Adds the hop with its labels; gives the end where it leads to a service. */
export const arrive = async (
  journey: Journey,
  { wallet, hop, isAgain }: Arriving,
  hops: FoundHop[],
): Promise<Ended | null> => {
  const labelled = await labelHop(journey, hop, { wallet, isFirst: hops.length === 0, isAgain });
  if (labelled.type === 'end') return labelled;
  hops.push(labelled.hop);
  // Only how it ends is still to be told.
  if (hops.length >= journey.request.maxHops) journey.evidence.begin(hops);
  return endAtService(journey, labelled.hop);
};

type Labelled = Ended | { readonly type: 'hop'; readonly hop: FoundHop };

const labelHop = async (journey: Journey, hop: UnlabelledHop, place: UnreadPlace): Promise<Labelled> => {
  try {
    const labels = await readLabels(journey, [hop.to, ...hop.others.map(({ to }) => to)]);
    const toLabel = labels.get(hop.to) ?? null;
    const others = await withNames(journey, hop.others, labels);
    return { type: 'hop', hop: { ...hop, toLabel, others } };
  } catch (error) {
    return endUnread(place, error);
  }
};

const endAtService = async (journey: Journey, hop: FoundHop): Promise<Ended | null> => {
  const { to: address, toLabel } = hop;
  if (toLabel === null) return null;
  const kind = passingKind(toLabel);
  const why = { type: 'reached', label: toLabel } as const;
  switch (kind) {
    case 'bridge': {
      const crossed = await findFarSide(journey, hop);
      return endWhole({ reason: 'bridge', address, why, ...crossed });
    }
    case 'exchange':
    case 'mixer':
      return endWhole({ reason: kind, address, why, caveats: [] });
    default:
      return null;
  }
};

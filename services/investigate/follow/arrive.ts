import type { Address } from '../model/address.ts';
import { passingKind } from '../model/label.ts';
import { findFarSide } from './bridges/find-far-side.ts';
import { joinHops } from './contracts/join-hops.ts';
import { endUnread, type UnreadPlace } from './end-unread.ts';
import { type Journey, readLabels } from './journey.ts';
import { withNames } from './name-branches.ts';
import { type Ended, endWhole, type Onward, type UnlabelledHop } from './read-wallet.ts';
import type { FoundHop } from './trail.ts';

type Arriving = Pick<UnreadPlace, 'isAgain'> & {
  readonly wallet: Address;
  readonly hop: UnlabelledHop;
  /** Who paid, where `wallet` is a contract that passed the money on. */
  readonly through: Onward | null;
};

/** Adds the hop, joined with the one before it where that led to a contract which passed the money on. */
export const arrive = async (
  journey: Journey,
  { wallet, hop, through, isAgain }: Arriving,
  hops: FoundHop[],
): Promise<Ended | null> => {
  const labelled = await labelHop(journey, hop, { wallet, isFirst: hops.length === 0, isAgain });
  if (labelled.type === 'end') return labelled;
  const into = through && hops.pop();
  const whole = through && into ? joinHops(into, labelled.hop, through) : labelled.hop;
  hops.push(whole);
  // Only how it ends is still to be told.
  if (hops.length >= journey.request.maxHops) journey.evidence.begin(hops);
  return endAtService(journey, whole);
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

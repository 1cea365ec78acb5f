import { passingKind } from '../model/label.ts';
import { findFarSide } from './bridges/find-far-side.ts';
import { type Ended, endUnread, endWith, type UnlabelledHop, type UnreadPlace } from './decide-hop.ts';
import { type FollowContext, readLabels } from './follow-context.ts';
import { largestOf, withNames } from './name-branches.ts';
import type { FoundHop } from './trail.ts';

/** Adds the hop and its labels to the trail. Returns the end if the hop leads to a service. */
export const arrive = async (
  context: FollowContext,
  hop: UnlabelledHop,
  hops: FoundHop[],
  place: UnreadPlace,
): Promise<Ended | null> => {
  const labelled = await labelHop(context, hop).catch((error: unknown) => endUnread(place, error));
  if ('type' in labelled) return labelled;
  hops.push(labelled);
  // What remains is the reason of the end.
  if (hops.length >= context.request.maxHops) context.details.begin(hops);
  return endAtService(context, labelled);
};

const labelHop = async (context: FollowContext, hop: UnlabelledHop): Promise<FoundHop> => {
  const shown = largestOf(hop.others);
  const labels = await readLabels(context, [hop.to, ...shown.map(({ to }) => to)]);
  const others = await withNames(context, shown, labels);
  return { ...hop, toLabel: labels.get(hop.to) ?? null, others };
};

const endAtService = async (context: FollowContext, hop: FoundHop): Promise<Ended | null> => {
  const { to: address, toLabel } = hop;
  if (toLabel === null) return null;
  const kind = passingKind(toLabel);
  const why = { type: 'reached', label: toLabel } as const;
  if (kind === 'bridge') {
    const { output, caveats } = await findFarSide(context, hop);
    return endWith({ reason: 'bridge', address, why, output, caveats });
  }
  return kind === 'exchange' || kind === 'mixer'
    ? endWith({ reason: kind, address, why, caveats: [] })
    : null;
};

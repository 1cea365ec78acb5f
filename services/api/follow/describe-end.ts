import type { Trail } from '../../investigate/follow/trail.ts';
import { type Caveat, isLimit } from '../../investigate/follow/why.ts';
import { describeCaveat } from './describe-caveat.ts';
import { describeWhy } from './describe-why.ts';
import type { TrailView } from './words.ts';

/** The only place that words an end. */
export type ToldEnd = {
  /** Why and where the trail ends, and its caveats. */
  readonly detail: string;
  /** The caveats that make the answer partial; null if there are none. */
  readonly limits: string | null;
};

export const describeEnd = (trail: Trail): ToldEnd => {
  const { address, why, caveats, reason } = trail.end;
  const isPart = caveats.some(({ type }) => type === 'known_in_part' || type === 'left_out');
  const view: TrailView = { ...trail, isPart };
  const tell = (caveat: Caveat): string => describeCaveat(view, address, caveat);
  const main = asOf(trail) + describeWhy(view, address, why) + describeFate(trail);
  const limits = [...(reason === 'no_data' ? [main] : []), ...caveats.filter(isLimit).map(tell)];
  return {
    detail: [main, ...caveats.map(tell)].join(' '),
    limits: limits.length === 0 ? null : limits.join(' '),
  };
};

/** What the outcome adds to the reason. */
const describeFate = ({ end }: Trail): string => {
  if (end.reason === 'dex_swap' && end.position !== undefined)
    return ` That is a receipt: ${end.position.issuer ?? 'its issuer'} pays it back.`;
  if (end.reason !== 'at_rest' || end.fate.freeze === null) return '';
  const { timeUnixSeconds, signature } = end.fate.freeze;
  return ` Its issuer froze that balance at ${new Date(timeUnixSeconds * 1_000).toISOString()}, in ${signature}.`;
};

/** Resting money is only known up to the newest block. */
const asOf = ({ span, end }: Trail): string => {
  const isState = ['nothing_left', 'rests', 'scattered', 'just_arrived'].includes(end.why.type);
  if (!isState || span === null) return '';
  return `As of block ${span.toBlock}, ${new Date(span.toUnixSeconds * 1_000).toISOString()}: `;
};

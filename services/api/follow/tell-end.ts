import type { Trail } from '../../investigate/follow/trail.ts';
import { type Caveat, isLimit } from '../../investigate/follow/why.ts';
import { tellCaveat } from './tell-caveat.ts';
import { tellWhy } from './tell-why.ts';
import type { TrailView } from './words.ts';

/** Sentences about a trail: the one place where it is put into words. */
export type ToldEnd = {
  /** Why and where it ends, and what may make that wrong or incomplete. */
  readonly detail: string;
  /** Of that what keeps the answer from being whole; null where nothing does. */
  readonly limits: string | null;
};

export const tellEnd = (trail: Trail): ToldEnd => {
  const { address, why, caveats, reason } = trail.end;
  const isPart = caveats.some(({ type }) => type === 'known_in_part' || type === 'left_out');
  const view: TrailView = { ...trail, isPart };
  const tell = (caveat: Caveat): string => tellCaveat(view, address, caveat);
  const main = asOf(trail) + tellWhy(view, address, why);
  const limits = [...(reason === 'no_data' ? [main] : []), ...caveats.filter(isLimit).map(tell)];
  return {
    detail: [main, ...caveats.map(tell)].join(' '),
    limits: limits.length === 0 ? null : limits.join(' '),
  };
};

/** What rests does so as far as is known: the next block may move it. */
const asOf = ({ span, end }: Trail): string => {
  const isState = ['nothing_left', 'rests', 'scattered', 'just_arrived'].includes(end.why.type);
  if (!isState || span === null) return '';
  return `As of block ${span.toBlock}, ${new Date(span.toUnixSeconds * 1_000).toISOString()}: `;
};

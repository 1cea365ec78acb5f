import { larger } from '../../model/amount.ts';
import { reachedLast, tracedOf } from '../details/trace-amounts.ts';
import type { Came, Trail, TrailEnd } from '../trail.ts';
import { divideRest, outcomeOfRest, type RestOutcome } from './fate.ts';

/** Where the money of a trail is: why it ends there, told more exactly. `other`: what was paid to others, or is not followed. */
export type TrailOutcome = TrailEnd['reason'] | RestOutcome | 'position' | 'other';

export type TrailPart = { readonly outcome: TrailOutcome; readonly amountRaw: bigint };
type Ended = Pick<Trail, 'came' | 'hops' | 'end' | 'backward'>;

/** Of what reached the last wallet, which the parts add up to; empty where that is not known, and backward. */
export const partsOfEnd = ({ end, backward, ...trail }: Ended): readonly TrailPart[] => {
  const reached = reachedLast(trail);
  if (reached === null || backward) return [];
  const here = mainPart(end, reached);
  const mainRaw = here.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
  const other: TrailPart = { outcome: 'other', amountRaw: reached.tracedRaw - mainRaw };
  return [...here, ...(other.amountRaw === 0n ? [] : [other])];
};

/** Of the largest part that is at the end itself. */
export const outcomeOfEnd = ({ end, backward, ...trail }: Ended): TrailOutcome => {
  if (end.reason === 'dex_swap') return end.position ? 'position' : end.reason;
  if (end.reason !== 'at_rest' || backward) return end.reason;
  const reached = reachedLast(trail);
  const parts = reached === null ? [] : mainPart(end, reached);
  return parts.length === 0 ? outcomeOfRest(1n, end.fate) : parts.reduce(larger).outcome;
};

const mainPart = (end: TrailEnd, reached: Came): readonly TrailPart[] => {
  const { why } = end;
  if (end.reason === 'at_rest') {
    const leftRaw = why.type === 'rests' || why.type === 'scattered' ? why.leftRaw : 0n;
    return divideRest(reached.tracedRaw - tracedOf(reached, { amountRaw: leftRaw }), end.fate);
  }
  const outcome = end.reason === 'dex_swap' && end.position ? 'position' : end.reason;
  const isPart = why.type === 'swapped' || why.type === 'sold';
  const amountRaw = isPart ? tracedOf(reached, { amountRaw: why.amountRaw }) : reached.tracedRaw;
  return [{ outcome, amountRaw }];
};

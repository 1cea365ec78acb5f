import { countOf } from '../../model/count-of.ts';
import type { Lookalike } from '../profile.ts';
import { behave, type FindBehaviour } from './observed.ts';

/** Which of two look-alikes is older is not sure where earlier blocks are missing. A low guess, not measured. */
const sureness = (found: readonly Lookalike[]): number =>
  found.every(({ seenIn }) => seenIn === null) ? 0.95 : 0.5;

/** The address looks like one that its counterparty had dealt with before. */
export const findPoisoner: FindBehaviour = ({ lookalikes }) => {
  const imitated = lookalikes.filter(({ role }) => role === 'imitation');
  const [one] = imitated;
  if (one === undefined) return null;
  const detail = `It looks like ${one.of}, with which ${one.victim} had dealt before it.`;
  return behave('poisoner', { confidence: sureness(imitated), severity: 'high', detail }, imitated);
};

/** The wallet received something from an address that looks like one of its counterparties. */
export const findPoisoned: FindBehaviour = ({ lookalikes }) => {
  const met = lookalikes.filter(({ role }) => role === 'victim');
  const [one] = met;
  if (one === undefined) return null;
  const detail = `It dealt with ${countOf(met.length, 'address that looks', 'addresses that look')} like its earlier counterparties, such as ${one.address}.`;
  return behave('poisoned', { confidence: sureness(met), severity: 'info', detail }, met);
};

import { behave, type FindBehaviour } from './observed.ts';

/** It looks like somebody with whom a counterparty of its own had dealt before it. */
export const findPoisoner: FindBehaviour = ({ lookalikes }) => {
  const imitated = lookalikes.filter(({ role }) => role === 'imitation');
  const [one] = imitated;
  if (one === undefined) return null;
  const detail = `It looks like ${one.of}, with which ${one.victim} had dealt before it.`;
  return behave('poisoner', { confidence: 0.95, severity: 'high', detail }, imitated);
};

/** Somebody sent it something from an address that looks like one it knew. */
export const findPoisoned: FindBehaviour = ({ lookalikes }) => {
  const met = lookalikes.filter(({ role }) => role === 'victim');
  const [one] = met;
  if (one === undefined) return null;
  const detail = `It met ${met.length} addresses that look like others it had dealt with, such as ${one.address}.`;
  return behave('poisoned', { confidence: 0.95, severity: 'info', detail }, met);
};

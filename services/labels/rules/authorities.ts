import { hasWord, spaced } from './words.ts';

/** Sanctioning authorities by the names that lists use, in the form of `spaced`; the first one is our name. */
export const AUTHORITIES: readonly (readonly [string, ...string[]])[] = [
  [
    ...(['ofac', 'sdn', 'office of foreign assets control', 'specially designated nationals'] as const),
    ...['us treasury', 'u s treasury', 'treasury department', 'department of the treasury'],
  ],
  ['eu', 'european union', 'european commission', 'european council'],
  ['un', 'unsc', 'united nations', 'security council'],
  [
    ...(['uk', 'united kingdom', 'ofsi', 'office of financial sanctions implementation'] as const),
    ...['hmt', 'hm treasury', 'his majesty s treasury', 'her majesty s treasury', 'fcdo'],
  ],
  ['seco', 'state secretariat for economic affairs'],
  ['nbctf', 'national bureau for counter terror financing'],
  ['mofcom', 'ministry of commerce'],
  ['dfat', 'department of foreign affairs and trade'],
  ['gac', 'global affairs canada'],
  ['meti', 'ministry of economy trade and industry'],
  ['nsdc', 'rnbo', 'national security and defense council'],
  ['fincen', 'financial crimes enforcement network'],
];

type Said = { readonly creator: string; readonly name: string; readonly source: string };

/** The authorities whose own word a label is: its source or creator has exactly their name. */
export const authoritiesSpeaking = ({ creator, source }: Omit<Said, 'name'>): string[] => {
  const texts = [creator, source].map(spaced);
  return authoritiesOf((authority) => texts.includes(authority));
};

/** The authorities that a label names as creator, source or in its name. A label without one is hearsay. */
export const authoritiesNamed = ({ creator, name, source }: Said): string[] => {
  const texts = [creator, name, source].map(spaced);
  return authoritiesOf((authority) => texts.some((text) => hasWord(text, authority)));
};

const authoritiesOf = (isMeant: (authority: string) => boolean): string[] =>
  AUTHORITIES.filter((names) => names.some(isMeant)).map(([name]) => name);

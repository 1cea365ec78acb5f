import { hasWord, spaced } from './words.ts';

/** Who designates, each by all names that lists give it, as `spaced` writes them; the first is how we name it. */
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

/** The authorities whose own word a label is: its source or its creator is called as they are and nothing else. */
export const authoritiesSpeaking = ({ creator, source }: Omit<Said, 'name'>): string[] => {
  const texts = [creator, source].map(spaced);
  return authoritiesOf((authority) => texts.includes(authority));
};

/** The authorities that a label names as creator, as source or in its name. What names none repeats what somebody said. */
export const authoritiesNamed = ({ creator, name, source }: Said): string[] => {
  const texts = [creator, name, source].map(spaced);
  return authoritiesOf((authority) => texts.some((text) => hasWord(text, authority)));
};

const authoritiesOf = (isMeant: (authority: string) => boolean): string[] =>
  AUTHORITIES.filter((names) => names.some(isMeant)).map(([name]) => name);

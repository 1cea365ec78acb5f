import type { LabelKind } from '../../investigate/model/label.ts';
import { hasWord, spaced } from './words.ts';

type Telling = {
  readonly kind: LabelKind;
  /** Who somebody is, or what was done: the noun that a part of a name is about stands last in it. */
  readonly ends: readonly string[];
  /** The same, of what may also be the name of something that a service has: only of the party itself. */
  readonly endsParty: readonly string[];
  /** What somebody is like stands before everything else. */
  readonly begins: readonly string[];
};

/** Words that say it in a name, by the place where they say it. In order of what goes before what. */
const TELLING: readonly Telling[] = [
  { kind: 'mixer', ends: ['mixer', 'mixing service', 'tumbler'], endsParty: ['coinjoin'], begins: [] },
  {
    kind: 'sanctioned',
    ends: ['sanctioned'],
    endsParty: ['sanction', 'sanctions', 'sanctions list', 'sanctions lists', 'ofac', 'sdn', 'sdn list'],
    begins: ['sanctioned', 'ofac'],
  },
  {
    kind: 'hack',
    ends: [
      ...['hack', 'hacks', 'hacker', 'exploit', 'exploiter', 'attacker', 'heist'],
      ...['phishing', 'phisher', 'scam', 'scams', 'scammer', 'drainer'],
    ],
    endsParty: [
      ...['fraud', 'ponzi', 'ponzi scheme', 'pyramid scheme', 'rug pull', 'something fishy', 'high risk'],
      ...['fake', 'stolen', 'malicious', 'blocked', 'blacklisted'],
    ],
    begins: ['fake', 'stolen', 'malicious', 'blocked', 'blacklisted', 'ponzi'],
  },
];

/** What belongs to whom the word before it names. */
const BELONGINGS =
  /( (address|addresses|wallets?|accounts?|eoa|contracts?|proxy|deployer|creator|tokens?|funds|money|proceeds|site|website))+$/;
const NUMBERS = /( [a-z]?\d+| [a-z]| 0x[0-9a-f]*)+$|(?<=[a-z])\d+$/;
/** Behind these stands what the noun before them has to do with: `Refund of the hack` is a refund. */
const TURNS = / (of|from|by|for|against|after|in|at|to|with) .*$/;
/** Whom the name warns of what others did, or who suffered it, is not who did it. */
const WARNED = ['alert', 'alerts', 'warning', 'warnings', 'victim', 'victims'];
/** A service whose parts are called by the tokens that they trade. */
const TRADES_TOKENS = /(swap|dex)( v ?\d+)?$/;

/** A token's own contract, as explorers name it: `Maker (MKR)`. */
const TOKEN_NAME = /^(.*)\(([A-Za-z0-9.$+-]{1,16})\)$/;

/** Whether it is how explorers name a token, which says nothing of who holds it: `Scam Inu (SINU)`. It is no `Alder (scam)`. */
export const isTokenName = (name: string): boolean => {
  const [, before = '', symbol] = TOKEN_NAME.exec(name) ?? [];
  if (symbol === undefined) return false;
  const word = spaced(symbol);
  const isRemark = symbol !== symbol.toUpperCase() && !hasWord(spaced(before), word);
  return !(isRemark && TELLING.some(({ ends, endsParty }) => [...ends, ...endsParty].includes(word)));
};

/** Whether it names whom somebody warns: `Alder Hack Alert 12`. */
export const isWarning = (name: string): boolean => WARNED.some((word) => hasWord(spaced(name), word));

/**
 * What a name says by its own words that its bearer is; null where it says nothing. `Alder Hacker 3: Deposit` is a party and a
 * part of it, `Optimism: Fraud Verifier` a verifier. `isDex`: whether the party is known to be one.
 */
export const toldByName = (name: string, isDex: boolean): LabelKind | null => {
  const [party = '', ...parts] = name.split(':').map(spaced);
  const whose = nounsOf(party);
  const rest = isDex || TRADES_TOKENS.test(party) ? [] : parts.flatMap(nounsOf);
  const told = TELLING.find(
    ({ ends, endsParty, begins }) =>
      begins.some((word) => `${party} `.startsWith(`${word} `)) ||
      whose.some((noun) => endsWithAny(noun, [...ends, ...endsParty])) ||
      rest.some((noun) => endsWithAny(noun, ends)),
  );
  return told?.kind ?? null;
};

/** What a part of a name is about, with and without what belongs to it. */
const nounsOf = (part: string): string[] => {
  const noun = part.replace(TURNS, '').replace(NUMBERS, '');
  return [noun, noun.replace(BELONGINGS, '').replace(NUMBERS, '')];
};

const endsWithAny = (text: string, words: readonly string[]): boolean =>
  words.some((word) => ` ${text}`.endsWith(` ${word}`));

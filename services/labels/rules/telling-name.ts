import type { LabelKind } from '../../investigate/model/label.ts';
import { hasWord, spaced } from './words.ts';

type Telling = {
  readonly kind: LabelKind;
  /** The main noun of a part of a name: a role or a deed. It is the last noun. */
  readonly ends: readonly string[];
  /** The same for words that may also name something a service has: they count only for the party itself. */
  readonly endsParty: readonly string[];
  /** Adjectives stand before everything else. */
  readonly begins: readonly string[];
};

/** Telling words by their position, in order of precedence. */
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

/** Nouns that belong to the word before them. */
const BELONGINGS =
  /( (address|addresses|wallets?|accounts?|eoa|contracts?|proxy|deployer|creator|tokens?|funds|money|proceeds|site|website))+$/;
const NUMBERS = /( [a-z]?\d+| [a-z]| 0x[0-9a-f]*)+$|(?<=[a-z])\d+$/;
/** After these words follows only the object of the noun before them: `Refund of the hack` is a refund. */
const TURNS = / (of|from|by|for|against|after|in|at|to|with) .*$/;
/** A name that warns of others, or names a victim, does not accuse its bearer. */
const WARNED = ['alert', 'alerts', 'warning', 'warnings', 'victim', 'victims'];
/** A service whose parts are named after the tokens that they trade. */
const TRADES_TOKENS = /(swap|dex)( v ?\d+)?$/;

/** A token's contract, as explorers name it: `Maker (MKR)`. */
const TOKEN_NAME = /^(.*)\(([A-Za-z0-9.$+-]{1,16})\)$/;

/**
 * Whether an explorer names a token here, which does not describe a holder: `Scam Inu (SINU)`, unlike `Alder
 * (scam)`.
 */
export const isTokenName = (name: string): boolean => {
  const [, before = '', symbol] = TOKEN_NAME.exec(name) ?? [];
  if (symbol === undefined) return false;
  const word = spaced(symbol);
  const isRemark = symbol !== symbol.toUpperCase() && !hasWord(spaced(before), word);
  return !(isRemark && TELLING.some(({ ends, endsParty }) => [...ends, ...endsParty].includes(word)));
};

/** Whether it is a warning: `Alder Hack Alert 12`. */
export const isWarning = (name: string): boolean => WARNED.some((word) => hasWord(spaced(name), word));

/**
 * The kind that a name itself states; null if it states none. `Alder Hacker 3: Deposit` is a party and a part of
 * it; `Optimism: Fraud Verifier` is a verifier. `isDex`: the party is known as one.
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

/** The main noun of a part of a name, with and without what belongs to it. */
const nounsOf = (part: string): string[] => {
  const noun = part.replace(TURNS, '').replace(NUMBERS, '');
  return [noun, noun.replace(BELONGINGS, '').replace(NUMBERS, '')];
};

const endsWithAny = (text: string, words: readonly string[]): boolean =>
  words.some((word) => ` ${text}`.endsWith(` ${word}`));

import { z } from 'zod';

export const CHAIN_NAMES = ['solana', 'ethereum', 'base', 'arbitrum', 'optimism', 'polygon', 'bsc'] as const;
export type ChainName = (typeof CHAIN_NAMES)[number];

/** The commitment level of the blocks that are read. */
export type Commitment = 'confirmed' | 'latest' | 'safe' | 'finalized';

/** Somebody beside the nodes who lists transactions by address. */
export type HistoryConfig = {
  /** `etherscan`: Etherscan v2 and those that answer alike, EVM only. `sqd`: a dataset of SQD's portal. */
  readonly type: 'etherscan' | 'sqd';
  readonly url: string;
  /** Empty where none is needed. */
  readonly key: string;
  /** The plan's limits, if known. */
  readonly perSecond?: number | undefined;
  readonly perDay?: number | undefined;
};

/** A live chain and its nodes. URLs may carry secrets: never print them without `maskUrls`. */
export type LiveChain = {
  readonly name: ChainName;
  /** In order of preference; at least one. */
  readonly rpcUrls: readonly string[];
  /** Where a node announces new slots; null: nowhere, so the head is polled. Only on Solana. */
  readonly websocketUrl: string | null;
  /** What the node announces: new slots (the default), or whole blocks, which few nodes offer. */
  readonly subscribe?: 'slots' | 'blocks';
  readonly commitment: Commitment;
  /** The first block to read when none was read yet; null: the head. */
  readonly start: number | null;
  /** Absent: only its nodes. */
  readonly history?: readonly HistoryConfig[];
};

const ACCEPTED =
  `accepted is name=url,name=url or a JSON object of names and URLs; names are ${CHAIN_NAMES.join(', ')}; ` +
  'URLs begin with http:// or https://, with "%" in them written as %25';
const FIELDS = 'urls, websocket, subscribe, commitment, start, history';
const URLS_MAX = 8;

const commitmentsOf = (name: ChainName): readonly [Commitment, ...Commitment[]] =>
  name === 'solana' ? ['finalized', 'confirmed'] : ['latest', 'safe', 'finalized'];

const isChainName = (name: string): name is ChainName => (CHAIN_NAMES as readonly string[]).includes(name);

const hasScheme =
  (...schemes: string[]) =>
  (text: string): boolean =>
    URL.canParse(text) && schemes.includes(new URL(text).protocol) && canDecode(text);

/** A name before "=" counts as repeated only where it can hardly be part of a URL or a key. */
const printable = (name: string): string =>
  /^[a-z][a-z-]{1,15}$/.test(name) ? `"${name}"` : 'one of its names';

type Entry = readonly [name: string, value: unknown];

const parseJson = (text: string): Entry[] | null => {
  try {
    const { success, data } = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text));
    if (!success) return null;
    const names = [...text.matchAll(/"([^"]*)"\s*:/g)].map(([, name]) => name);
    const isTwice = ([name]: Entry): boolean => names.indexOf(name) !== names.lastIndexOf(name);
    const entries = Object.entries(data);
    // JSON.parse keeps only the last of two equal names.
    return [...entries, ...entries.filter(isTwice)];
  } catch {
    return null;
  }
};

const parseList = (text: string): Entry[] =>
  // Only a comma before the next "name=" ends a URL. A URL that contains such text needs the JSON form.
  text.split(/,\s*(?=[A-Za-z-]+=)/).map((part) => {
    const equals = part.indexOf('=');
    return equals === -1 ? ['', part.trim()] : [part.slice(0, equals).trim(), part.slice(equals + 1).trim()];
  });

const chainSchema = (name: ChainName) => {
  const url = z.string().refine(hasScheme('http:', 'https:'));
  const commitments = commitmentsOf(name);
  const commitment = z.enum(commitments);
  const isSolana = name === 'solana';
  return z.strictObject({
    urls: z.union([url.transform((one) => [one]), z.array(url).min(1).max(URLS_MAX)]),
    websocket: isSolana ? z.string().refine(hasScheme('ws:', 'wss:')).nullish() : z.never().optional(),
    subscribe: isSolana ? z.enum(['slots', 'blocks']).optional() : z.never().optional(),
    commitment: commitment.default(commitments[0]),
    start: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
    history: z
      .array(historySchema(historyTypesOf(name)))
      .max(URLS_MAX)
      .optional(),
  });
};

const historyTypesOf = (name: ChainName): readonly HistoryConfig['type'][] =>
  name === 'solana' ? ['sqd'] : ['etherscan', 'sqd'];

const historySchema = (types: readonly HistoryConfig['type'][]) =>
  z
    .strictObject({
      type: z.enum(types),
      url: z.string().refine(hasScheme('http:', 'https:')),
      key: z.string().max(200).default(''),
      per_second: z.number().positive().optional(),
      per_day: z.number().int().positive().optional(),
    })
    .transform(
      ({ per_second: perSecond, per_day: perDay, ...source }): HistoryConfig => ({
        ...source,
        perSecond,
        perDay,
      }),
    );

const PORT_MAX = 65_535;

/**
 * The default websocket address: the node's URL with its port plus one if it names a port, as Solana's tools
 * assume. None beyond the last port.
 */
const websocketUrlOf = (name: ChainName, rpcUrl: string | undefined): string | null => {
  if (name !== 'solana' || rpcUrl === undefined) return null;
  const url = new URL(rpcUrl);
  if (Number(url.port) === PORT_MAX) return null;
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (url.port !== '') url.port = String(Number(url.port) + 1);
  return url.href;
};

const acceptedOf = (name: ChainName, field: unknown): string => {
  switch (field) {
    case 'urls':
      return `the URL of ${name} is not accepted; ${ACCEPTED}; several of a chain are a JSON list of at most ${URLS_MAX}`;
    case 'websocket':
      return name === 'solana'
        ? `the websocket of ${name} is not accepted; accepted is a URL that begins with ws:// or wss://, with "%" in it written as %25, or null`
        : `${name} takes no websocket; only solana does`;
    case 'subscribe':
      return name === 'solana'
        ? `the subscribe of ${name} is not accepted; accepted is slots or blocks`
        : `${name} takes no subscribe; only solana does`;
    case 'commitment':
      return `the commitment of ${name} is not accepted; accepted is one of ${commitmentsOf(name).join(', ')}`;
    case 'start':
      return `the start of ${name} is not accepted; accepted is a whole number, the first block or slot to take`;
    case 'history':
      return `the history of ${name} is not accepted; accepted is a list of objects of type (${historyTypesOf(name).join(' or ')}), url and, if there are any, key, per_second and per_day`;
    default:
      return `${name} has a field that is not known; known are ${FIELDS}`;
  }
};

type Parsed = { readonly chain: LiveChain } | { readonly problems: readonly string[] };

const parseEntry = ([name, value]: Entry, seen: ReadonlySet<string>): Parsed => {
  if (!isChainName(name)) return { problems: [`${printable(name)} is not a known chain; ${ACCEPTED}`] };
  if (seen.has(name)) return { problems: [`${name} is given twice`] };
  // A URL or a list of URLs is short for an object with only `urls`.
  const fields = isObject(value) ? value : { urls: value };
  const { success, data, error } = chainSchema(name).safeParse(fields);
  if (!success) return { problems: [...new Set(error.issues.map(({ path }) => acceptedOf(name, path[0])))] };
  const {
    urls,
    websocket = websocketUrlOf(name, urls[0]),
    subscribe,
    commitment,
    start = null,
    history,
  } = data;
  const how = { ...(subscribe && { subscribe }), ...(history && { history }) };
  return { chain: { name, rpcUrls: urls, websocketUrl: websocket, ...how, commitment, start } };
};

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses SPOOR_CHAINS: `name=url,…`, or a JSON object of names and, for each, a URL, a list of URLs or an
 * object of `urls`, `websocket`, `subscribe`, `commitment`, `start` and `history`. Problems name chains, never URLs,
 * which may carry secrets.
 */
export const parseChains = (text: string): { chains: LiveChain[]; problems: string[] } => {
  if (text.trim() === '') return { chains: [], problems: [] };
  const entries = text.trim().startsWith('{') ? parseJson(text) : parseList(text);
  if (entries === null)
    return { chains: [], problems: [`is not a JSON object of names and URLs; ${ACCEPTED}`] };
  const chains: LiveChain[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const entry of entries) {
    const parsed = parseEntry(entry, seen);
    seen.add(entry[0]);
    if ('problems' in parsed) problems.push(...parsed.problems);
    else chains.push(parsed.chain);
  }
  return { chains, problems };
};

/** Whether each "%" in a part of a URL begins an escape, so that it can be decoded. */
const canDecode = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

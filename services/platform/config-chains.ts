import { z } from 'zod';

export const CHAIN_NAMES = ['solana', 'ethereum', 'base', 'arbitrum', 'optimism', 'polygon', 'bsc'] as const;
export type ChainName = (typeof CHAIN_NAMES)[number];

/** A live chain and the RPC that serves it. The URL may carry a secret: never print it, `maskUrls` makes it printable. */
export type ChainEndpoint = { readonly name: ChainName; readonly rpcUrl: string };

const ACCEPTED =
  `accepted is name=url,name=url or a JSON object of names and URLs; names are ${CHAIN_NAMES.join(', ')}; ` +
  'URLs begin with http:// or https://';

const isChainName = (name: string): name is ChainName => (CHAIN_NAMES as readonly string[]).includes(name);

const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);

/** What stands before "=" is repeated only where it can hardly be a piece of a URL or a key. */
const printable = (name: string): string =>
  /^[a-z][a-z-]{1,15}$/.test(name) ? `"${name}"` : 'one of its names';

type Entry = readonly [name: string, url: string];

const parseJson = (text: string): Entry[] | null => {
  try {
    const result = z.record(z.string(), z.string()).safeParse(JSON.parse(text));
    return result.success ? Object.entries(result.data) : null;
  } catch {
    return null;
  }
};

const parseList = (text: string): Entry[] =>
  // Only a comma before the next "name=" ends a URL; one that holds such a piece itself needs the JSON form.
  text.split(/,\s*(?=[A-Za-z-]+=)/).map((part) => {
    const equals = part.indexOf('=');
    return equals === -1 ? ['', part.trim()] : [part.slice(0, equals).trim(), part.slice(equals + 1).trim()];
  });

const problemOf = ([name, url]: Entry, seen: ReadonlySet<string>): string | null => {
  if (!isChainName(name)) return `${printable(name)} is not a known chain; ${ACCEPTED}`;
  if (seen.has(name)) return `${name} is given twice`;
  if (!isHttpUrl(url)) return `the URL of ${name} is not accepted; ${ACCEPTED}`;
  return null;
};

/** Reads the value of SPOOR_CHAINS. Problems name chains, never URLs, which may carry secrets. */
export const parseChains = (text: string): { endpoints: ChainEndpoint[]; problems: string[] } => {
  if (text.trim() === '') return { endpoints: [], problems: [] };
  const entries = text.trim().startsWith('{') ? parseJson(text) : parseList(text);
  if (entries === null)
    return { endpoints: [], problems: [`is not a JSON object of names and URLs; ${ACCEPTED}`] };
  const endpoints: ChainEndpoint[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const entry of entries) {
    const problem = problemOf(entry, seen);
    seen.add(entry[0]);
    if (problem !== null) problems.push(problem);
    else endpoints.push({ name: entry[0] as ChainName, rpcUrl: entry[1] });
  }
  return { endpoints, problems };
};

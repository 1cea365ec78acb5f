import { isHttpAddress, splitLogin } from '../login.ts';

/**
 * The receiving address of a network, and the node that confirms its payments. The URL may carry a key: never
 * print it.
 */
export type PaymentNetwork = {
  /** CAIP-2, for example eip155:8453. */
  readonly network: `${string}:${string}`;
  readonly payTo: string;
  readonly rpcUrl: string;
};

/** Payment per call by x402. */
export type X402 = { readonly facilitatorUrl: string; readonly networks: readonly PaymentNetwork[] };

type Name = 'X402_FACILITATOR_URL' | 'X402_PAY_TO' | 'X402_RPC_URLS';
type Problem = { readonly variable: Name; readonly problem: string };

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
type Accepted = { readonly address: RegExp; readonly isTest: boolean };

/** The networks that the specification names: Base and Solana, and Base Sepolia and Solana devnet to try payments. */
const ACCEPTED: ReadonlyMap<string, Accepted> = new Map([
  ['eip155:8453', { address: EVM_ADDRESS, isTest: false }],
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', { address: SOLANA_ADDRESS, isTest: false }],
  ['eip155:84532', { address: EVM_ADDRESS, isTest: true }],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', { address: SOLANA_ADDRESS, isTest: true }],
]);
const NETWORKS = [...ACCEPTED.keys()].join(', ');

/** The facilitator's own name for the network. */
const hasNoUser = (text: string): boolean => isHttpAddress(text) && splitLogin(text).login === null;

type Entry = readonly [network: string, value: string];

const hasEachOnce = (entries: readonly Entry[]): boolean =>
  new Set(entries.map(([network]) => network)).size === entries.length;

const parseList = (text: string): Entry[] =>
  text.split(/,\s*(?=(?:eip155|solana):)/).map((part) => {
    const equals = part.indexOf('=');
    return [part.slice(0, Math.max(equals, 0)).trim(), part.slice(equals + 1).trim()];
  });

/**
 * Reads the X402_ variables; null when none is set. An incomplete set is a problem, and so is an unknown
 * network.
 */
export const parseX402 = (
  given: (variable: Name) => string | undefined,
): { x402: X402 | null; problems: Problem[] } => {
  const problems: Problem[] = [];
  const facilitatorUrl = given('X402_FACILITATOR_URL');
  const payTo = given('X402_PAY_TO') ?? '';
  const rpcUrls = given('X402_RPC_URLS') ?? '';
  if (facilitatorUrl === undefined && payTo === '' && rpcUrls === '') return { x402: null, problems };
  const report = (variable: Name, problem: string): void => void problems.push({ variable, problem });
  if (facilitatorUrl === undefined || !hasNoUser(facilitatorUrl))
    report('X402_FACILITATOR_URL', 'must be a URL that begins with http:// or https://, without a user name');
  const [receivers, nodes] = [parseList(payTo), parseList(rpcUrls)];
  if (
    !hasEachOnce(receivers) ||
    !receivers.every(([network, address]) => ACCEPTED.get(network)?.address.test(address))
  )
    report(
      'X402_PAY_TO',
      `is not accepted; accepted is network=address,… with each network once; networks are ${NETWORKS}`,
    );
  // Whoever may pay with play money pays with nothing else.
  if (new Set(receivers.map(([network]) => ACCEPTED.get(network)?.isTest)).size > 1)
    report('X402_PAY_TO', 'must not name test networks beside real ones');
  const urls = new Map(nodes);
  if (!hasEachOnce(nodes) || !receivers.every(([network]) => isHttpAddress(urls.get(network) ?? '')))
    report(
      'X402_RPC_URLS',
      'must name one node for every network of X402_PAY_TO: network=url,… (user and password percent-encoded)',
    );
  if (problems.length > 0 || facilitatorUrl === undefined) return { x402: null, problems };
  const networks = receivers.map(([network, address]) => ({
    network: network as PaymentNetwork['network'],
    payTo: address,
    rpcUrl: urls.get(network) ?? '',
  }));
  return { x402: { facilitatorUrl, networks }, problems };
};

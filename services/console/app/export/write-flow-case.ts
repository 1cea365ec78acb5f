import type { Card, Link } from '../flow/picture.ts';
import { placeCards } from '../flow/place-cards.ts';
import type { Shown } from '../flow/show-flow.ts';
import { formatRaw, showName } from '../shared/format.ts';

/** Numbers of the chains that the format can name (EIP-155). */
const CHAIN_IDS: Readonly<Record<string, number>> = {
  ethereum: 1,
  base: 8_453,
  arbitrum: 42_161,
  optimism: 10,
  polygon: 137,
  bsc: 56,
};

const ROLES: Readonly<Record<string, string>> = {
  exchange: 'cex_deposit',
  bridge: 'bridge',
  mixer: 'mixer_contract',
  dex: 'dex_router',
  contract: 'unknown_contract',
};
const EDGE_TYPES = { swap: 'dex_swap', crossing: 'bridge' } as const;
/** Of the format's own layout. */
const SPACING = { x: 360, y: 180 };
const HASHES_MAX = 100;
const TEXT_MAX = 200;

type Gap = { readonly type: string; readonly detail: string };

export const hasFlowCase = ({ filtered }: Shown): boolean => [...filtered.shown.cards.values()].some(isNamed);

/**
 * What is shown, also in folds, as Etherscan's Flow Case (`skills/etherscan-flow/schema/case.schema.json` of
 * etherscan/skills). It names EVM chains and transactions only: what it cannot name stands among its gaps.
 */
export const writeFlowCase = ({ view, filtered }: Shown, name: string, atUnixMs: number): object => {
  const { cards, links } = filtered.shown;
  const places = placeCards([...cards.values()]);
  const named = [...cards.values()].filter(isNamed);
  const ids = new Map(named.map((card, at) => [card.key, `n${at + 1}`]));
  const proved = links.filter(
    ({ from, to, transactions }) => ids.has(from) && ids.has(to) && transactions.length > 0,
  );
  const start = named.find(({ isStart }) => isStart) ?? named[0];
  const chains = [...new Set(named.map(({ chain }) => chain))];
  return {
    id: `case-${(start?.address ?? '0x00000000').slice(2, 10).toLowerCase()}`,
    name: plain(name) || 'Spoor',
    schemaVersion: 1,
    nodes: named.map((card) => ({
      ...nodeOf(card, view.notes.get(card.key)),
      id: ids.get(card.key),
      x: (places.get(card.key)?.column ?? 0) * SPACING.x,
      y: (places.get(card.key)?.row ?? 0) * SPACING.y,
    })),
    edges: proved.map((link, at) => ({
      ...edgeOf(link, cards.get(link.to)),
      id: `e${at + 1}`,
      source: ids.get(link.from),
      target: ids.get(link.to),
    })),
    _meta: {
      created_at: new Date(atUnixMs).toISOString(),
      mode: 'strict_trace',
      chain: start?.chain ?? 'ethereum',
      chainid: CHAIN_IDS[start?.chain ?? 'ethereum'],
      chains: chains.map((chain) => ({ chain, chainid: CHAIN_IDS[chain] })),
      seed_addresses: named.filter(({ isStart }) => isStart).map(({ address }) => address),
      hops_traced: Math.max(0, ...named.map(({ hop }) => hop)),
      analysis: null,
      gaps: gapsOf({ all: cards.size, named: named.length, links, proved }),
      disclaimer:
        'A lead, not a proof. Parts and probabilities are inferences of Spoor; transactions are facts.',
    },
  };
};

const isNamed = ({ chain, address }: Card): boolean =>
  CHAIN_IDS[chain] !== undefined && /^0x[0-9a-fA-F]{40}$/.test(address);

/** The format takes neither markup nor characters that are not seen. */
const plain = (text: string): string =>
  showName(text).replaceAll('<', '‹').replaceAll('>', '›').slice(0, TEXT_MAX);

const nodeOf = (card: Card, note: string | undefined) => ({
  address: card.address,
  chainid: CHAIN_IDS[card.chain],
  label: card.label === null ? null : plain(card.label.name),
  subLabel: null,
  // Nothing tells whether an unnamed address is a contract.
  role: ROLES[card.label?.kind ?? ''] ?? 'wallet',
  hop: card.hop,
  balance: null,
  notes: note === undefined ? null : plain(note),
});

const edgeOf = (
  { kind, movedRaw, decimals, transactions, transactionsTotal, symbol }: Link,
  to: Card | undefined,
) => {
  const hashes = [...new Set(transactions.map(({ signature }) => signature))];
  const [first] = transactions;
  const asset = to?.asset ?? null;
  return {
    type: kind === 'payment' ? (asset === null ? 'transfer' : 'token_transfer') : EDGE_TYPES[kind],
    amount: decimals === null ? null : formatRaw(movedRaw, decimals).replaceAll(',', ''),
    token: plain(symbol),
    token_address: asset,
    txcount: Math.max(transactionsTotal, hashes.length),
    txhash: hashes[0],
    // Their validator counts them, so a part of them is no list.
    ...(hashes.length <= HASHES_MAX && hashes.length >= transactionsTotal && { txhashes: hashes }),
    chainid: CHAIN_IDS[to?.chain ?? ''],
    timestamp: first === undefined ? null : new Date(first.time * 1_000).toISOString(),
  };
};

type Counted = {
  readonly all: number;
  readonly named: number;
  readonly links: readonly Link[];
  readonly proved: readonly Link[];
};

const gapsOf = ({ all, named, links, proved }: Counted): readonly Gap[] => {
  const cut = proved.filter((link) => link.transactionsTotal > link.transactions.length).length;
  const told: readonly (readonly [number, string, string])[] = [
    [all - named, 'scope_limited', 'wallets are on chains that this format cannot name.'],
    [
      links.length - proved.length,
      'scope_limited',
      'connections have no transaction that this format could name.',
    ],
    [cut, 'edge_txhashes_truncated', 'edges name only some of their transactions.'],
  ];
  return told.flatMap(([count, type, detail]) => (count > 0 ? [{ type, detail: `${count} ${detail}` }] : []));
};

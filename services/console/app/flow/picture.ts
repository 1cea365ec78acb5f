import type { Flow } from '../../../sdk/create-spoor.ts';
import { shorten, showName } from '../shared/format.ts';

export type FlowEnd = Flow['ends'][number];
type FlowNode = Flow['nodes'][number];
type FlowEdge = Flow['edges'][number];
/** A call that an answer offers: it goes on behind a swap, a bridge, a mixer or an exchange. */
export type NextCall = FlowEnd['next'][number];

/** One wallet with one asset: the same wallet that sold the money is another card, because its amounts are others. */
export type Card = {
  readonly key: string;
  readonly chain: string;
  readonly address: string;
  /** Mint or contract; null for the coin. */
  readonly asset: string | null;
  readonly symbol: string;
  readonly label: FlowNode['label'];
  readonly isStart: boolean;
  /** Fewest payments from a start, over all answers. */
  readonly hop: number;
  /** Who brought it the most of the money; null for a start. */
  readonly payer: string | null;
  readonly arrived: number;
  readonly left: number;
  readonly rest: number;
  readonly usd: number | null;
  readonly probability: number;
  readonly ends: readonly FlowEnd[];
  /** Why its payments were not followed; null where they were, or were by a later answer. */
  readonly unread: string | null;
  /** The calls that go on from here. */
  readonly next: readonly NextCall[];
  /** Its page at a public explorer. */
  readonly explorerUrl: string;
};

export type Link = {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  /** `payment`: transactions of the answer. `swap`, `crossing`: the money became another asset or went to another chain. */
  readonly kind: 'payment' | 'swap' | 'crossing';
  readonly amount: number;
  /** All that its transactions carried, also money of others. */
  readonly movedRaw: bigint;
  readonly decimals: number | null;
  readonly symbol: string;
  readonly usd: number | null;
  /** Dollars of one whole unit of its asset; null where the price is not known. */
  readonly price: number | null;
  readonly probability: number;
  /** Whether it is certain that these payments carried the money; otherwise it is inferred. */
  readonly isFact: boolean;
  readonly transactions: FlowEdge['transactions'];
  readonly transactionsTotal: number;
  /** The page of a transaction at a public explorer, with `{hash}` in it. */
  readonly explorer: string;
};

/** Everything that some answers say, as one drawing. */
export type Picture = { readonly cards: ReadonlyMap<string, Card>; readonly links: readonly Link[] };

/** An answer, and the card that it was asked from; null for the first. */
export type Answered = { readonly flow: Flow; readonly from: string | null };

export const keyOf = (chain: string, address: string, asset: string | null): string =>
  `${chain} ${address} ${asset ?? 'native'}`;

/** Joins answers in the order in which they were asked. What an earlier one drew is never drawn differently by a later one. */
export const drawPicture = (answers: readonly Answered[]): Picture => {
  const cards = new Map<string, Card>();
  const links = new Map<string, Link>();
  for (const { flow, from } of answers) addAnswer({ cards, links }, flow, from);
  return { cards, links: [...links.values()] };
};

type Drawn = { readonly cards: Map<string, Card>; readonly links: Map<string, Link> };

const addAnswer = ({ cards, links }: Drawn, flow: Flow, from: string | null): void => {
  const before = from === null ? null : (cards.get(from) ?? null);
  for (const card of cardsOf(flow, before)) if (!cards.has(card.key)) cards.set(card.key, card);
  // Asked from where an answer had stopped: now it is followed.
  if (before !== null && isOfSameWallet(flow, before))
    cards.set(before.key, { ...before, unread: null, next: [] });
  const added = [...linksOf(flow), ...onwardLinks(flow, before, cards)];
  for (const link of added)
    if (!links.has(link.key) && cards.has(link.from) && cards.has(link.to)) links.set(link.key, link);
};

const inFlow =
  ({ chain, asset }: Flow) =>
  (address: string): string =>
    keyOf(chain, address, asset.address);

/** Whether the answer goes on from the very card, and not behind a swap or a bridge. */
const isOfSameWallet = (flow: Flow, before: Card): boolean =>
  flow.starts.some((address) => inFlow(flow)(address) === before.key);

/** No trusted source names every token. */
const symbolOf = ({ asset }: Flow): string =>
  asset.symbol === null ? shorten(asset.address ?? 'native') : showName(asset.symbol);

const cardsOf = (flow: Flow, before: Card | null): readonly Card[] => {
  const key = inFlow(flow);
  const firstHop = before === null ? 0 : before.hop + (isOfSameWallet(flow, before) ? 0 : 1);
  const payers = findPayers(flow);
  const ends = Map.groupBy(flow.ends, ({ address }) => address);
  const unread = new Map(flow.frontier.map(({ address, reason }) => [address, reason]));
  const payerOf = ({ address, is_start }: FlowNode): string | null => {
    if (is_start) return before?.key ?? null;
    const payer = payers.get(address);
    return payer === undefined ? null : key(payer);
  };
  const firstIn = firstArrivals(flow);
  return flow.nodes.filter(carries).map(
    (node): Card => ({
      key: key(node.address),
      chain: flow.chain,
      address: node.address,
      asset: flow.asset.address,
      symbol: symbolOf(flow),
      label: node.label,
      isStart: node.is_start && before === null,
      hop: firstHop + node.hops,
      payer: payerOf(node),
      arrived: node.arrived,
      left: node.left,
      rest: node.rest,
      usd: node.usd,
      probability: node.probability,
      ends: ends.get(node.address) ?? [],
      unread: unread.get(node.address) ?? null,
      next: [
        ...(ends.get(node.address) ?? []).flatMap((end) => end.next),
        ...(unread.has(node.address) ? [goOn(flow, node, firstIn.get(node.address))] : []),
      ],
      explorerUrl: flow.meta.explorer.address.replace('{address}', encodeURIComponent(node.address)),
    }),
  );
};

/** None of the money may have come this far: such wallets say nothing, in text and here. */
const carries = ({ is_start, arrived_raw }: FlowNode): boolean => is_start || arrived_raw !== '0';

/** By wallet, when the first of the money came. */
const firstArrivals = ({ edges }: Flow): ReadonlyMap<string, number> => {
  const first = new Map<string, number>();
  for (const { to, transactions } of edges)
    for (const { time } of transactions) first.set(to, Math.min(first.get(to) ?? time, time));
  return first;
};

/** What would follow a wallet at which a limit of the request stopped. */
const goOn = ({ chain, asset }: Flow, node: FlowNode, since: number | undefined): NextCall => ({
  path: '/follow',
  body: {
    ...{ chain, address: node.address, asset: asset.address ?? 'native' },
    ...(since !== undefined && { since }),
    ...(node.arrived > 0 && { amount: node.arrived }),
  },
});

/** By wallet, who paid it the most of the money. */
const findPayers = ({ edges }: Flow): ReadonlyMap<string, string> => {
  const largest = new Map<string, FlowEdge>();
  for (const edge of edges) {
    const known = largest.get(edge.to);
    if (known === undefined || BigInt(edge.amount_raw) > BigInt(known.amount_raw)) largest.set(edge.to, edge);
  }
  return new Map([...largest].map(([to, { from }]) => [to, from]));
};

/** One price holds for a whole answer, also for payments that carried none of the money. */
const priceOf = ({ nodes }: Flow): number | null => {
  const priced = nodes.find(({ arrived, usd }) => usd !== null && arrived > 0);
  return priced?.usd == null ? null : priced.usd / priced.arrived;
};

const linksOf = (flow: Flow): readonly Link[] => {
  const key = inFlow(flow);
  const price = priceOf(flow);
  return flow.edges.map((edge) => ({
    key: `${key(edge.from)} > ${key(edge.to)}`,
    from: key(edge.from),
    to: key(edge.to),
    kind: 'payment',
    amount: edge.amount,
    movedRaw: BigInt(edge.moved_raw),
    decimals: flow.asset.decimals,
    symbol: symbolOf(flow),
    usd: edge.usd,
    price,
    probability: edge.probability,
    isFact: edge.probability === 1 && !edge.beyond_sum,
    transactions: edge.transactions,
    transactionsTotal: edge.transactions_total,
    explorer: flow.meta.explorer.transaction,
  }));
};

/** From a service to where its money went on: behind a swap on the same chain, behind a bridge on another. */
const onwardLinks = (flow: Flow, before: Card | null, cards: ReadonlyMap<string, Card>): readonly Link[] => {
  if (before === null) return [];
  return flow.starts.flatMap((address) => {
    const start = cards.get(inFlow(flow)(address));
    if (start === undefined || start.key === before.key) return [];
    const paidOut = payoutsOf(before, start);
    return {
      key: `${before.key} > ${start.key}`,
      from: before.key,
      to: start.key,
      kind: before.chain === start.chain ? 'swap' : 'crossing',
      amount: start.arrived,
      movedRaw: paidOut.reduce((sum, { amount_raw }) => sum + BigInt(amount_raw), 0n),
      decimals: flow.asset.decimals,
      symbol: start.symbol,
      usd: start.usd,
      price: priceOf(flow),
      probability: start.probability,
      isFact: false,
      transactions: paidOut,
      transactionsTotal: paidOut.length,
      explorer: flow.meta.explorer.transaction,
    };
  });
};

/** The transactions on the far chain that paid out what went into a bridge, as far as the answer names them. */
const payoutsOf = ({ ends }: Card, start: Card): Link['transactions'] =>
  ends
    .flatMap(({ crossings }) => crossings)
    .filter(({ chain, address }) => chain === start.chain && address === start.address)
    .map(({ signature, amount, amount_raw, since }) => ({ signature, amount, amount_raw, time: since ?? 0 }))
    .sort((a, b) => a.time - b.time);

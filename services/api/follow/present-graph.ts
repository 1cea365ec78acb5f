import { divideRest, type Fate, outcomeOfRest } from '../../investigate/follow/fates/fate.ts';
import type { FlowEnd, FlowGraph } from '../../investigate/follow/graph/flow-graph.ts';
import type { Address } from '../../investigate/model/address.ts';
import { presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';
import type { Chain } from '../../investigate/model/chain.ts';
import { groupInTurns, mapInTurns } from '../../investigate/model/give-way.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { type ArePricesPending, presentBasis } from '../present-basis.ts';
import { divideCents, divideOutcomes } from './divide-cents.ts';
import { nextCalls } from './next-call.ts';
import { presentFreeze, presentPosition } from './present-fate.ts';
import { presentFarSide, presentLabel, presentSwapped, presentThrough, presentTraced } from './presenter.ts';

const WALLETS_NAMED = 5;

type Presenting = {
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly beingRead: readonly Address[];
  readonly arePricesPending: ArePricesPending;
};

/** The answer of POST /follow with `graph`. Only presenters turn amounts into floats. */
export const presentGraph = async (graph: FlowGraph, { chains, beingRead, arePricesPending }: Presenting) => {
  const { request, asset, price, span, coverage } = graph;
  const { chain } = request;
  const of = { chain, asset };
  const name = rememberNames(chain);
  const amountOf = (raw: bigint): number => toWholeUnits(raw, asset.decimals);
  const amount = (raw: bigint) => ({ amount: amountOf(raw), amount_raw: String(raw) });
  const usdOf = (raw: bigint): number | null => price && price.usd * amountOf(raw);
  const worth = (raw: bigint) => ({ ...amount(raw), usd: usdOf(raw) });
  const cents = divideCents(graph, usdOf(coverage.takenRaw));
  const into = await groupInTurns(graph.edges, ({ to }) => to);
  const scope = beingRead.length > 0 ? 'partial' : scopeOf(graph);
  return {
    chain: chain.name,
    starts: request.starts.map(({ start }) => name(start)),
    asset: {
      symbol: asset.symbol,
      address: asset.canonicalAsset === NATIVE ? null : name(asset.canonicalAsset),
      decimals: asset.decimals,
    },
    nodes: await mapInTurns(graph.nodes, ({ arrivedRaw, leftRaw, restRaw, ...node }) => ({
      address: name(node.address),
      label: presentLabel(node.label),
      is_start: node.isStart,
      hops: node.hops,
      probability: node.probability,
      ...{ arrived: amountOf(arrivedRaw), arrived_raw: String(arrivedRaw) },
      ...{ left: amountOf(leftRaw), left_raw: String(leftRaw) },
      ...{ rest: amountOf(restRaw), rest_raw: String(restRaw) },
      usd: usdOf(arrivedRaw),
      end: node.end,
    })),
    edges: await mapInTurns(graph.edges, (edge) => ({
      ...{ from: name(edge.from), to: name(edge.to), through: presentThrough(chain, edge.through) },
      ...worth(edge.tracedRaw),
      ...{ moved: amountOf(edge.movedRaw), moved_raw: String(edge.movedRaw) },
      ...{ share: edge.share, probability: edge.probability, beyond_sum: edge.isBeyond },
      transactions: edge.transactions.map(({ signature, amountRaw, timeUnixSeconds }) => ({
        signature,
        ...amount(amountRaw),
        time: timeUnixSeconds,
      })),
      transactions_total: edge.transactionsTotal,
    })),
    ends: await mapInTurns(graph.ends, (end) => ({
      ...{ reason: end.reason, outcome: outcomeOf(end), ...presentFreeze(of, end.fate) },
      issuer: end.position?.issuer ?? null,
      ...{ address: name(end.address), from: name(end.from) },
      label: presentLabel(end.label),
      ...{ ...worth(end.amountRaw), probability: end.probability },
      output: presentOutput(graph, end),
      crossings: end.crossings.map((side) => ({
        ...presentFarSide({ backward: false }, side),
        ...presentTraced(side, side.asset),
      })),
      next: nextCalls(graph, end, { chains, edges: into.get(end.address) ?? [] }),
    })),
    rests: await mapInTurns(graph.rests, ({ address, label, amountRaw, probability, fate }) => ({
      ...{ address: name(address), label: presentLabel(label), ...worth(amountRaw), probability },
      ...presentLost(amountRaw, fate),
      ...presentFreeze(of, fate),
    })),
    frontier: await mapInTurns(graph.frontier, ({ address, reason, amountRaw, probability }) => ({
      ...{ address: name(address), reason, ...worth(amountRaw), probability },
    })),
    positions: graph.positions.map(({ wallet, ...position }) => ({
      wallet: name(wallet),
      ...presentPosition(of, position),
    })),
    coverage: {
      taken: { ...amount(coverage.takenRaw), usd: cents.taken },
      ends: { ...amount(coverage.endsRaw), usd: cents.ends },
      rest: { ...amount(coverage.restRaw), usd: cents.rest },
      frontier: { ...amount(coverage.frontierRaw), usd: cents.frontier },
      outcomes: divideOutcomes(graph, cents).map(({ outcome, amountRaw, usd }) => ({
        outcome,
        ...amount(amountRaw),
        usd,
      })),
      usd_source: price?.source ?? null,
      usd_at: price && graph.pricedAtUnixSeconds,
    },
    meta: {
      chain: chain.name,
      scope,
      detail: scope === 'partial' ? detailOf(graph, beingRead) : null,
      data_from: span?.fromUnixSeconds ?? null,
      data_to: span?.toUnixSeconds ?? null,
      index_head: span?.toBlock ?? null,
      ...presentBasis(chain, arePricesPending),
      questions: graph.read.questions,
      wallets_read: graph.read.wallets,
      rows_read: graph.read.rows,
    },
  };
};

/** An EVM address is hashed to be written, and stands in many places of a large graph. */
const rememberNames = (chain: Chain): ((address: Address) => string) => {
  const names = new Map<Address, string>();
  return (address) => {
    const name = names.get(address) ?? presentAddress(chain, address);
    names.set(address, name);
    return name;
  };
};

const outcomeOf = ({ reason, position, amountRaw, fate }: FlowEnd) => {
  if (reason === 'at_rest') return outcomeOfRest(amountRaw, fate);
  return position === undefined ? reason : 'position';
};

const presentLost = (amountRaw: bigint, fate: Fate) => {
  const parts = new Map(divideRest(amountRaw, fate).map(({ outcome, amountRaw: raw }) => [outcome, raw]));
  return { burned_raw: String(parts.get('burned') ?? 0n), fees_raw: String(parts.get('fees') ?? 0n) };
};

const presentOutput = ({ request: { chain } }: FlowGraph, { output, address }: FlowEnd) =>
  output && { ...presentSwapped(chain, output, address), ...presentTraced(output, output) };

/** Nothing left any of the first wallets. */
export const isNothingKnown = ({ edges, ends, coverage }: FlowGraph): boolean =>
  edges.length === 0 && (coverage.takenRaw === 0n || ends.every(({ reason }) => reason === 'no_data'));

const scopeOf = (graph: FlowGraph): 'full' | 'partial' | 'no_data' => {
  if (isNothingKnown(graph)) return 'no_data';
  const isUnread = graph.frontier.some(({ reason }) => reason === 'unread');
  return graph.isComplete && graph.areFatesRead && graph.cuts.length === 0 && !isUnread ? 'full' : 'partial';
};

const detailOf = (
  { request: { chain }, cuts, frontier, areFatesRead, isComplete }: FlowGraph,
  beingRead: readonly Address[],
): string => {
  const named = (wallets: readonly string[]): string => {
    const all = [...new Set(wallets)].map((wallet) => presentAddress(chain, wallet));
    const more = all.length - WALLETS_NAMED;
    return `${all.slice(0, WALLETS_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  };
  const unread = frontier.filter(({ reason }) => reason === 'unread').map(({ address }) => address);
  return [
    cuts.length > 0
      ? `So much happened at ${named(cuts.map(({ wallet }) => wallet))} that it was read in part: other payments may be the money.`
      : '',
    unread.length > 0 ? `Could not be read: ${named(unread)}.` : '',
    areFatesRead
      ? ''
      : 'What wallets burnt or paid in fees, and what issuers froze, could not be read: it counts as at rest.',
    beingRead.length > 0 ? `Being read from the chain: ${named(beingRead)}. Ask again in a minute.` : '',
    isComplete
      ? ''
      : 'Not all that these wallets did is indexed: what is missing may have carried more of the money.',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
};

import type { FlowEdge, FlowGraph } from '../../services/investigate/follow/graph/flow-graph.ts';
import { followGraph } from '../../services/investigate/follow/graph/follow-graph.ts';
import {
  FLOW_CALLS_MAX,
  HOPS_MAX,
  MIN_PROBABILITY_DEFAULT,
} from '../../services/investigate/follow/rules.ts';
import type { Address } from '../../services/investigate/model/address.ts';
import { toWholeUnits } from '../../services/investigate/model/amount.ts';
import { NO_HISTORIES } from '../../services/investigate/model/histories.ts';
import type { Label } from '../../services/investigate/model/label.ts';
import { NATIVE } from '../../services/investigate/model/movement.ts';
import { systemClock } from '../../services/platform/clock.ts';
import { createMemoryAssetReader } from '../../services/testing/memory/memory-asset-reader.ts';
import { createMemoryPriceReader } from '../../services/testing/memory/memory-price-reader.ts';
import { createMemoryReader } from '../../services/testing/memory-reader.ts';
import { type Figure, toFigure } from '../bench/figure.ts';
import type { CaseTransfer } from './case-transfer.ts';
import { type FollowCase, toBlocks } from './follow-case.ts';
import { reachableInTime } from './reachable-in-time.ts';

type Judged = {
  readonly stolen: FollowCase;
  readonly strangers: readonly CaseTransfer[];
  readonly terminals: readonly Address[];
};

/** An edge is a lead from here on: more likely than not. */
const LEAD = 0.5;
const BINS = 10;

const signal = new AbortController().signal;
const EXCHANGE: Label = { name: 'terminal', kind: 'exchange', passing: null } as unknown as Label;

/**
 * The whole flow in one call, with the terminals unknown and with them known as services. `ece` is how far, on average, edges of about
 * one probability are from being right as often.
 */
export const evaluateGraph = async (judged: Judged): Promise<Figure[]> => {
  const { stolen, strangers, terminals } = judged;
  const blocks = toBlocks(stolen.chain, [...stolen.transfers, ...strangers]);
  const figures: Figure[] = [];
  for (const name of ['graph', 'graph_labelled'] as const) {
    const known = name === 'graph' ? [] : terminals.map((address) => [address, EXCHANGE] as const);
    const began = performance.now();
    const graph = await askWith(stolen, blocks, new Map(known));
    const seconds = (performance.now() - began) / 1_000;
    figures.push(
      ...gradeGraph(name, graph, judged),
      toFigure({ name: `follow.${name}_s`, unit: 's' }, [seconds]),
    );
  }
  return figures;
};

export const askWith = (
  { chain, starts }: FollowCase,
  blocks: ReturnType<typeof toBlocks>,
  labels: ReadonlyMap<Address, Label>,
): Promise<FlowGraph> =>
  followGraph(
    {
      ...{ chain, family: NATIVE, maxHops: HOPS_MAX },
      starts: starts.map(({ address, sinceUnixSeconds, amountRaw }) => ({
        start: address,
        atUnixSeconds: sinceUnixSeconds,
        amount: toWholeUnits(amountRaw, chain.native.decimals),
        counterparty: null,
      })),
      budget: { calls: FLOW_CALLS_MAX, seconds: 85 },
      ...{ minUsd: 0, minProbability: MIN_PROBABILITY_DEFAULT },
    },
    {
      ...{ reader: createMemoryReader(blocks, { labels }), prices: createMemoryPriceReader() },
      ...{ assets: createMemoryAssetReader(), histories: NO_HISTORIES, clock: systemClock, signal },
    },
  );

type Pair = Pick<FlowEdge, 'from' | 'to'>;
const keyOf = ({ from, to }: Pair): string => `${from} ${to}`;

const gradeGraph = (
  name: string,
  { edges, read, nodes }: FlowGraph,
  { stolen, terminals }: Judged,
): Figure[] => {
  const truth = new Set(stolen.transfers.map(keyOf));
  const reachable = reachableInTime(stolen);
  const ends = terminals.filter((terminal) => reachable.has(terminal));
  const isRight = (edge: Pair): boolean => truth.has(keyOf(edge));
  const leads = edges.filter(({ probability, isBeyond }) => probability >= LEAD && !isBeyond);
  const reached = (of: readonly FlowEdge[]): number => {
    const to = new Set(of.filter(isRight).map((edge) => edge.to));
    return part(ends.filter((end) => to.has(end)).length, ends.length);
  };
  const named = new Set(leads.map(keyOf));
  const dollars = (of: readonly CaseTransfer[]): number =>
    Number(of.reduce((sum, { amountRaw }) => sum + amountRaw, 0n));
  const intoEnds = stolen.transfers.filter(({ to }) => ends.includes(to));
  const figure = (
    what: string,
    unit: string,
    value: number,
    goal: { atLeast?: number; atMost?: number } = {},
  ) => toFigure({ name: `follow.${name}_${what}`, unit, ...goal }, [value]);
  return [
    figure('ends', 'terminals reached by leads, of those reachable', reached(leads)),
    figure('ends_any', 'terminals reached by any edge', reached(edges)),
    figure('precision', 'leads that are of the case', part(leads.filter(isRight).length, leads.length)),
    figure(
      'edges',
      'edges of the case among leads',
      part(new Set(leads.filter(isRight).map(keyOf)).size, truth.size),
    ),
    figure(
      'value',
      'of the dollars into terminals',
      part(dollars(intoEnds.filter((transfer) => named.has(keyOf(transfer)))), dollars(intoEnds)),
    ),
    figure('ece', 'of edge probabilities', calibrationError(edges, isRight), { atMost: 0.05 }),
    figure('wallets', 'wallets reached', nodes.length),
    figure('questions', 'questions to the tables', read.questions),
  ];
};

const part = (some: number, all: number): number => (all === 0 ? 0 : some / all);

const calibrationError = (edges: readonly FlowEdge[], isRight: (edge: Pair) => boolean): number => {
  const bins = Map.groupBy(edges, ({ probability }) => Math.min(BINS - 1, Math.floor(probability * BINS)));
  const off = [...bins.values()].map((of) => {
    const told = of.reduce((sum, { probability }) => sum + probability, 0);
    return Math.abs(told - of.filter(isRight).length);
  });
  return part(
    off.reduce((sum, each) => sum + each, 0),
    edges.length,
  );
};

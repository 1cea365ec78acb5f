import type { FlowEdge, FlowGraph } from '../../services/investigate/follow/graph/flow-graph.ts';
import { followGraph } from '../../services/investigate/follow/graph/follow-graph.ts';
import {
  FLOW_CALLS_MAX,
  HOPS_MAX,
  MIN_PROBABILITY_DEFAULT,
} from '../../services/investigate/follow/rules.ts';
import type { Address } from '../../services/investigate/model/address.ts';
import { toWholeUnits } from '../../services/investigate/model/amount.ts';
import { NO_BACKFILLS } from '../../services/investigate/model/backfills.ts';
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

export type Judged = {
  readonly stolen: FollowCase;
  readonly strangers: readonly CaseTransfer[];
  readonly terminals: readonly Address[];
};

/** From this probability on an edge is a lead: more likely than not. */
const LEAD = 0.5;
const BINS = 10;

const signal = new AbortController().signal;
const EXCHANGE: Label = { name: 'terminal', kind: 'exchange' };

/**
 * The whole flow in one call, with terminals unknown and with terminals known as services, over one or more cases.
 * `ece`: the average gap between an edge's probability and how often such edges are right.
 */
export const evaluateGraph = async (cases: readonly Judged[], goals: Goals = {}): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const name of ['graph', 'graph_labelled'] as const) {
    const began = performance.now();
    const graded: Graded[] = [];
    for (const judged of cases) {
      const { stolen, strangers, terminals } = judged;
      const known = name === 'graph' ? [] : terminals.map((address) => [address, EXCHANGE] as const);
      const blocks = toBlocks(stolen.chain, [...stolen.transfers, ...strangers]);
      graded.push(grade(await askWith(stolen, blocks, new Map(known)), judged));
    }
    const seconds = (performance.now() - began) / 1_000;
    figures.push(
      ...toFigures(name, graded, goals),
      toFigure({ name: `follow.${name}_s`, unit: 's, all cases' }, [seconds]),
    );
  }
  return figures;
};

export type Goals = { readonly ends?: number; readonly precision?: number };

const askWith = (
  { chain, starts }: FollowCase,
  blocks: ReturnType<typeof toBlocks>,
  labels: ReadonlyMap<Address, Label>,
): Promise<FlowGraph> =>
  followGraph(
    {
      ...{ chain, canonicalAsset: NATIVE, maxHops: HOPS_MAX },
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
      ...{ assets: createMemoryAssetReader(), backfills: NO_BACKFILLS, clock: systemClock, signal },
    },
  );

type Pair = Pick<FlowEdge, 'from' | 'to'>;
type Paid = Pair & Pick<FlowEdge, 'probability' | 'isBeyond'>;
const keyOf = ({ from, to }: Pair): string => `${from} ${to}`;

type Graded = {
  readonly edges: readonly Paid[];
  readonly isRight: (edge: Pair) => boolean;
  readonly truth: number;
  readonly ends: number;
  readonly endsByLeads: number;
  readonly endsByAny: number;
  readonly dollars: number;
  readonly dollarsFollowed: number;
  readonly wallets: number;
  readonly questions: number;
};

const isLead = ({ probability, isBeyond }: Paid): boolean => probability >= LEAD && !isBeyond;

/** Who paid whom, each pair once. Through a contract it is two. */
const toPairs = (edges: readonly FlowEdge[]): readonly Paid[] => {
  const pairs = edges.flatMap(({ from, through, to, probability, isBeyond }): Paid[] => {
    const wallets = [from, ...through.map(({ address }) => address), to];
    return wallets
      .slice(1)
      .map((wallet, at) => ({ from: wallets[at] ?? from, to: wallet, probability, isBeyond }));
  });
  return [...Map.groupBy(pairs, keyOf).values()].map((of) => ({
    ...(of[0] as Paid),
    probability: of.reduce((most, { probability }) => Math.max(most, probability), 0),
    isBeyond: of.every(({ isBeyond }) => isBeyond),
  }));
};

const grade = (graph: FlowGraph, { stolen, terminals }: Judged): Graded => {
  const { read, nodes } = graph;
  const edges = toPairs(graph.edges);
  const truth = new Set(stolen.transfers.map(keyOf));
  const reachable = reachableInTime(stolen);
  const ends = terminals.filter((terminal) => reachable.has(terminal));
  const isRight = (edge: Pair): boolean => truth.has(keyOf(edge));
  const reached = (of: readonly Paid[]): number => {
    const to = new Set(of.filter(isRight).map((edge) => edge.to));
    return ends.filter((end) => to.has(end)).length;
  };
  const leads = edges.filter(isLead);
  const named = new Set(leads.map(keyOf));
  const dollarsOf = (of: readonly CaseTransfer[]): number =>
    Number(of.reduce((sum, { amountRaw }) => sum + amountRaw, 0n));
  const intoEnds = stolen.transfers.filter(({ to }) => ends.includes(to));
  return {
    ...{ edges, isRight, truth: truth.size, ends: ends.length },
    ...{ endsByLeads: reached(leads), endsByAny: reached(edges), dollars: dollarsOf(intoEnds) },
    dollarsFollowed: dollarsOf(intoEnds.filter((transfer) => named.has(keyOf(transfer)))),
    ...{ wallets: nodes.length, questions: read.questions },
  };
};

const toFigures = (name: string, graded: readonly Graded[], goals: Goals): Figure[] => {
  const sum = (of: (each: Graded) => number): number => graded.reduce((total, each) => total + of(each), 0);
  const leads = sum(({ edges }) => edges.filter(isLead).length);
  const right = sum(({ edges, isRight }) => edges.filter((edge) => isLead(edge) && isRight(edge)).length);
  const told = graded.flatMap(({ edges, isRight }) =>
    edges.map((edge) => ({ probability: edge.probability, isRight: isRight(edge) })),
  );
  const figure = (
    what: string,
    unit: string,
    value: number,
    goal: { atLeast?: number; atMost?: number } = {},
  ) => toFigure({ name: `follow.${name}_${what}`, unit, ...goal }, [value]);
  const atLeast = (goal: number | undefined) => (goal === undefined ? {} : { atLeast: goal });
  return [
    figure(
      'ends',
      'terminals reached by leads, of those reachable',
      part(
        sum(({ endsByLeads }) => endsByLeads),
        sum(({ ends }) => ends),
      ),
      atLeast(goals.ends),
    ),
    figure(
      'ends_any',
      'terminals reached by any edge',
      part(
        sum(({ endsByAny }) => endsByAny),
        sum(({ ends }) => ends),
      ),
    ),
    figure('leads', 'payments that were followed', leads),
    figure('precision', 'leads that are of the case', part(right, leads), atLeast(goals.precision)),
    figure(
      'edges',
      'edges of the case among leads',
      part(
        right,
        sum(({ truth }) => truth),
      ),
    ),
    figure(
      'value',
      'of the dollars into terminals',
      part(
        sum(({ dollarsFollowed }) => dollarsFollowed),
        sum(({ dollars }) => dollars),
      ),
    ),
    figure('ece', 'of edge probabilities', calibrationError(told), { atMost: 0.05 }),
    figure(
      'wallets',
      'wallets reached',
      sum(({ wallets }) => wallets),
    ),
    figure(
      'questions',
      'questions to the tables',
      sum(({ questions }) => questions),
    ),
  ];
};

const part = (some: number, all: number): number => (all === 0 ? 0 : some / all);

type Told = { readonly probability: number; readonly isRight: boolean };

const calibrationError = (edges: readonly Told[]): number => {
  const bins = Map.groupBy(edges, ({ probability }) => Math.min(BINS - 1, Math.floor(probability * BINS)));
  const off = [...bins.values()].map((of) => {
    const told = of.reduce((sum, { probability }) => sum + probability, 0);
    return Math.abs(told - of.filter(({ isRight }) => isRight).length);
  });
  return part(
    off.reduce((sum, each) => sum + each, 0),
    edges.length,
  );
};

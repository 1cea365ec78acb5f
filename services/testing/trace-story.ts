import { findChain } from '../investigate/model/chain.ts';
import type { PriceReader } from '../investigate/model/price-reader.ts';
import type { Service } from '../investigate/model/trace-reader.ts';
import { CALIBRATION, type Calibration, weightKey } from '../investigate/trace/ranking/combine-evidence.ts';
import { type TraceOptions, trace } from '../investigate/trace/trace.ts';
import {
  EVIDENCE_FAMILIES,
  type EvidenceFamily,
  GRADES,
  type Trace,
  type TraceRequest,
} from '../investigate/trace/trace-answer.ts';
import { move, type StoryStep, tellStory } from './chain-story.ts';
import { createMemoryPriceReader } from './memory/memory-price-reader.ts';
import { createMemoryTraceReader, type MemoryTraceOptions } from './memory/memory-trace-reader.ts';

export const NOTE = 10n ** 18n;
/** What somebody gives a wallet of his for its fees. */
export const GAS = NOTE / 100n;
export const POOL: [string, Service] = ['pool', { entity: 'mix', kind: 'mixer' }];
export const OTHER_POOL: [string, Service] = ['pool-10', { entity: 'mix', kind: 'mixer' }];
export const T = 1_000_000;
export const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

const chainOf = () => {
  const chain = findChain('ethereum');
  if (chain === null) throw new Error('ethereum is not known');
  return chain;
};

export const forward: TraceRequest = {
  chain: chainOf(),
  wallet: 'ann',
  counterparty: 'pool',
  signature: 'anchor',
  direction: 'out',
  timeUnixSeconds: T,
  coin: 1,
  usd: 0,
  windowSeconds: null,
  missing: [],
};

const KINDS = EVIDENCE_FAMILIES.flatMap((family) => GRADES.map((grade) => weightKey({ family, grade })));
/** As it was fitted, and whatever the fit found to say nothing says a little: what is found is shown. */
const EVERY_KIND: Calibration = {
  ...CALIBRATION,
  weights: Object.fromEntries(KINDS.map((key) => [key, Math.max(1, CALIBRATION.weights[key] ?? 0)])),
};

type TraceStoryOptions = MemoryTraceOptions & TraceOptions & { readonly prices?: PriceReader };

/** Asks about a story told in steps; by default who took out what `ann` paid into the pool in `deposit`. */
export const askTrace = (
  steps: readonly StoryStep[],
  request: Partial<TraceRequest> = {},
  {
    services = new Map([POOL, OTHER_POOL]),
    labels = new Map(),
    gaps = [],
    blocksSince = 0,
    prices = createMemoryPriceReader(),
    calibration = EVERY_KIND,
    backfills,
    ...options
  }: TraceStoryOptions = {},
): Promise<Trace> => {
  const reader = createMemoryTraceReader(
    tellStory(
      'ethereum',
      steps.toSorted((a, b) => a.time - b.time),
    ),
    { services, labels, gaps, blocksSince },
  );
  const { signal } = new AbortController();
  const reads = { reader, prices, signal, ...(backfills && { backfills }) };
  return trace({ ...forward, ...request }, reads, { calibration, ...options });
};

/** What was found of all candidates. */
export const evidenceOf = ({ candidates }: Pick<Trace, 'candidates'>): EvidenceFamily[] =>
  candidates.flatMap(({ evidence }) => evidence.map(({ family }) => family));

/** Behind it all that is asked about is indexed. */
export const later: StoryStep = { time: T + 90_000, moves: [move('x', 'y', NOTE)] };
export const deposit: StoryStep = { time: T, hash: 'anchor', moves: [move('ann', 'pool', NOTE)] };
export const paidIn = (from: string, time: number, raw: bigint): StoryStep => ({
  time,
  moves: [move(from, 'pool', raw)],
});
export const paidOut = (to: string, time: number, amountRaw = NOTE): StoryStep => ({
  time,
  moves: [move('pool', to, amountRaw)],
});
/** Twenty notes that others paid in before. */
export const notes = Array.from({ length: 20 }, (_, at) => paidIn(`payer-${at}`, T - 900 + at, NOTE));
/** Nine notes that others take out, ten minutes apart. */
export const crowd = Array.from({ length: 9 }, (_, at) => paidOut(`stranger-${at}`, T + 600 * (at + 1)));

export const WITH_ROUTER = new Map<string, Service>([
  POOL,
  OTHER_POOL,
  ['router', { entity: 'mix', kind: 'mixer' }],
]);
/** As `askTrace`, of the router in front of the pools. */
export const askRouted = (steps: readonly StoryStep[], request: Partial<TraceRequest> = {}): Promise<Trace> =>
  askTrace(steps, { counterparty: 'router', ...request }, { services: WITH_ROUTER });
/** A deposit through it. */
export const routed = (from: string, time: number, pool = 'pool', raw = NOTE): StoryStep => ({
  time,
  hash: `${from}-${time}`,
  moves: [move(from, 'router', raw), move('router', pool, raw)],
});

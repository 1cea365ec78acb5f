import { parseArgs } from 'node:util';
import type { Address } from '../../services/investigate/model/address.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { type Chain, findChain } from '../../services/investigate/model/chain.ts';
import type { TimeRange, TraceReader } from '../../services/investigate/model/trace-reader.ts';
import { WINDOW_MAX_SECONDS } from '../../services/investigate/trace/rules.ts';
import { type TraceOptions, trace } from '../../services/investigate/trace/trace.ts';
import {
  type EvidenceFamily,
  type Trace,
  TraceRefusedError,
  type TraceRequest,
} from '../../services/investigate/trace/trace-answer.ts';
import { createMemoryPriceReader } from '../../services/testing/memory/memory-price-reader.ts';
import { createMemoryTraceReader } from '../../services/testing/memory/memory-trace-reader.ts';
import { say } from '../bench/bench-store.ts';
import { type Bench, type Figure, toFigure } from '../bench/figure.ts';
import { UsageError } from '../bench/run-chosen.ts';
import {
  confidenceFigures,
  type GradedTrace,
  gradeTrace,
  isRankedByTimeWithin,
  isRankedWithin,
  meanReciprocalRank,
} from './grade-traces.ts';
import { BLOCK_MAX, readMixerEvents, timeOfBlock } from './mixer-events.ts';
import { findFalseLead, type PlaceboLead, type Placebos, placeboFigures } from './placebo.ts';
import { readTable, type TableRow } from './read-table.ts';

/** A deposit and a withdrawal of one owner from the file of pairs, which only the grader opens. */
type Pair = {
  readonly chain: Chain;
  readonly evidence: string;
  readonly pool: Address;
  readonly depositor: Address;
  readonly recipient: Address;
  readonly depositTx: string;
  readonly withdrawalTx: string;
  readonly depositBlock: number;
  readonly withdrawalBlock: number;
};

type Direction = 'forward' | 'backward';
/** `answer` is null if the trace was refused. */
type Case = { readonly pair: Pair; readonly answer: Trace | null; readonly graded: GradedTrace };
type Setting = { readonly direction: Direction; readonly without: ReadonlySet<EvidenceFamily> };

const signal = new AbortController().signal;
// Mixers return the same asset, so no price is needed.
const prices = createMemoryPriceReader();

const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { events: { type: 'string' }, pairs: { type: 'string' } },
  });
  if (values.events === undefined || values.pairs === undefined)
    throw new UsageError('evaluate mixer needs --events DIR and --pairs FILE');
  const { blocks, services } = await readMixerEvents(values.events);
  const reader = createMemoryTraceReader(blocks, { services });
  const chains = Map.groupBy(blocks, ({ chain }) => chain);
  const data = new Map([...chains].map(([chain, of]) => [chain, rangeOf(of)]));
  say(`${blocks.length} blocks with events on ${[...chains.keys()].join(', ')}`);
  const toPair = pairReader(blocks);
  const pairs = (await readTable(values.pairs, PAIR_COLUMNS)).map(toPair);
  const figures: Figure[] = [];
  for (const direction of ['forward', 'backward'] as const) {
    for (const without of [new Set<EvidenceFamily>(), new Set<EvidenceFamily>(['same_wallet'])]) {
      figures.push(...(await evaluate({ reader, pairs, data }, { direction, without })));
    }
  }
  return figures;
};

const rangeOf = (blocks: readonly DecodedBlock[]): TimeRange => ({
  fromUnixSeconds: timeOfBlock(blocks[0]?.number ?? 0),
  toUnixSeconds: timeOfBlock(blocks.at(-1)?.number ?? 0),
});

const PAIR_COLUMNS = [
  ...['evidence', 'pool', 'depositor', 'recipient'],
  ...['deposit_tx', 'withdrawal_tx', 'deposit_block', 'withdrawal_block'],
];

/** A pair belongs to its row's chain, else to the one whose events hold its transactions. */
const pairReader = (blocks: readonly DecodedBlock[]): ((row: TableRow) => Pair) => {
  const chains = new Set(blocks.map(({ chain }) => chain));
  const [only] = chains.size === 1 ? chains : [];
  const chainOf = new Map(
    blocks.flatMap(({ chain, transactions }) => transactions.map(({ hash }) => [hash, chain] as const)),
  );
  return (row) => {
    const [depositTx, withdrawalTx] = [row.key('deposit_tx'), row.key('withdrawal_tx')];
    const [into, out] = [chainOf.get(depositTx), chainOf.get(withdrawalTx)];
    if (into !== undefined && out !== undefined && into !== out)
      return row.refuse('withdrawal_tx', `is on ${out}, and its deposit on ${into}`);
    const found = into ?? out ?? only;
    const chain = row.ifTold('chain', row.chain) ?? findChain(found ?? '');
    if (chain === null || !chains.has(chain.name))
      return row.refuse('deposit_tx', `is in no event of ${[...chains].join(', ')}`);
    return {
      ...{ chain, depositTx, withdrawalTx },
      evidence: row.text('evidence'),
      pool: row.address('pool', chain),
      depositor: row.address('depositor', chain),
      recipient: row.address('recipient', chain),
      depositBlock: row.whole('deposit_block', BLOCK_MAX),
      withdrawalBlock: row.whole('withdrawal_block', BLOCK_MAX),
    };
  };
};

type Material = {
  readonly reader: TraceReader;
  readonly pairs: readonly Pair[];
  /** By chain. */
  readonly data: ReadonlyMap<string, TimeRange>;
};

const evaluate = async ({ reader, pairs, data }: Material, setting: Setting): Promise<Figure[]> => {
  const { direction, without } = setting;
  const options: TraceOptions = { without, candidatesMax: Number.POSITIVE_INFINITY };
  const cases: Case[] = [];
  for (const pair of pairs) {
    const answer = await answerPair(toRequest(pair, direction), reader, options);
    cases.push({ pair, answer, graded: answer === null ? refused(pair) : grade(pair, answer) });
  }
  const placebos = await runPlacebos({ reader, pairs, data }, cases, setting);
  say(`${direction}${without.size > 0 ? `, without ${[...without].join()}` : ''}: ${cases.length} pairs`);
  const kinds = Map.groupBy(cases, ({ pair }) => pair.evidence);
  const off = without.size > 0 ? `, ${[...without].join()} switched off` : '';
  return [
    ...describe(`${direction}${off}`, cases),
    ...[...kinds].flatMap(([kind, ofKind]) => describe(`${direction}${off}, pairs by ${kind}`, ofKind)),
    ...placeboFigures({ command: 'mixer', subject: `${direction}${off}` }, placebos),
  ];
};

const toRequest = (pair: Pair, direction: Direction): TraceRequest => {
  const isForward = direction === 'forward';
  return {
    chain: pair.chain,
    wallet: isForward ? pair.depositor : pair.recipient,
    counterparty: pair.pool,
    signature: isForward ? pair.depositTx : pair.withdrawalTx,
    direction: isForward ? 'out' : 'in',
    timeUnixSeconds: timeOfBlock(isForward ? pair.depositBlock : pair.withdrawalBlock),
    coin: 1,
    usd: 0,
    windowSeconds: WINDOW_MAX_SECONDS,
    missing: [],
  };
};

const answerPair = async (
  request: TraceRequest,
  reader: TraceReader,
  options: TraceOptions,
): Promise<Trace | null> => {
  try {
    return await trace(request, { reader, prices, signal }, options);
  } catch (error) {
    // An event whose other party is unknown contradicts the pair.
    if (error instanceof TraceRefusedError) return null;
    throw error;
  }
};

const ownerOn = ({ depositor, recipient }: Pair, { direction }: Trace): Address =>
  direction === 'forward' ? recipient : depositor;

const grade = (pair: Pair, answer: Trace): GradedTrace => {
  const other = timeOfBlock(answer.direction === 'forward' ? pair.withdrawalBlock : pair.depositBlock);
  const inWindow = other >= answer.window.fromUnixSeconds && other <= answer.window.toUnixSeconds;
  return gradeTrace(answer, ({ wallet }) => wallet === ownerOn(pair, answer), inWindow);
};

const refused = ({ depositBlock, withdrawalBlock }: Pair): GradedTrace => ({
  ...{ rank: null, rankByTime: null, top: null },
  inWindow: timeOfBlock(withdrawalBlock) - timeOfBlock(depositBlock) <= WINDOW_MAX_SECONDS,
});

/** Each owner's first deposit (backward: last withdrawal), in a window after (before) it. */
const runPlacebos = async (
  { reader, pairs, data }: Material,
  cases: readonly Case[],
  { direction, without }: Setting,
): Promise<Placebos> => {
  const extreme = new Map<string, Case>();
  const blockOf = ({ pair }: Case): number =>
    direction === 'forward' ? pair.depositBlock : -pair.withdrawalBlock;
  for (const one of cases) {
    const owner = direction === 'forward' ? one.pair.depositor : one.pair.recipient;
    const key = `${one.pair.chain.name} ${owner}`;
    const known = extreme.get(key);
    if (known === undefined || blockOf(one) < blockOf(known)) extreme.set(key, one);
  }
  const owned = Map.groupBy(pairs, ({ depositor }) => depositor);
  const leads: PlaceboLead[] = [];
  const real: Trace[] = [];
  for (const one of extreme.values()) {
    const { pair, answer } = one;
    const range = data.get(pair.chain.name);
    if (answer === null || range === undefined) continue;
    const wallets = new Set((owned.get(pair.depositor) ?? []).flatMap((of) => [of.depositor, of.recipient]));
    const lead = await findFalseLead({
      traceIn: (placeboRange) =>
        trace(toRequest(pair, direction), { reader, prices, signal }, { without, placeboRange }),
      real: answer,
      isOwner: ({ wallet }) => wallets.has(wallet),
      data: range,
    });
    if (lead === null) continue;
    leads.push(lead);
    real.push(answer);
  }
  return { leads, real };
};

const share = (name: string, subject: string, value: number): Figure =>
  toFigure({ name: `mixer.${name}`, unit: 'share', subject }, [value]);

const describe = (subject: string, cases: readonly Case[]): Figure[] => {
  const all = cases.map(({ graded }) => graded);
  const inside = all.filter(({ inWindow }) => inWindow);
  const families = new Set(
    cases.flatMap(({ answer }) =>
      (answer?.candidates ?? []).flatMap(({ evidence }) => evidence.map(({ family }) => family)),
    ),
  );
  return [
    {
      ...toFigure({ name: 'mixer.pairs', unit: 'pairs', subject }, [cases.length]),
      details: { refused: cases.filter(({ answer }) => answer === null).length },
    },
    share('in_window_share', subject, inside.length / all.length),
    ...[1, 3, 10].flatMap((rank) => [
      ...(inside.length === 0
        ? []
        : [
            {
              ...share(`top${rank}`, subject, isRankedWithin(inside, rank)),
              details: { nearest_first: isRankedByTimeWithin(inside, rank) },
            },
          ]),
      share(`top${rank}_all`, subject, isRankedWithin(all, rank)),
    ]),
    ...(inside.length === 0 ? [] : [share('mean_reciprocal_rank', subject, meanReciprocalRank(inside))]),
    share('mean_reciprocal_rank_all', subject, meanReciprocalRank(all)),
    ...confidenceFigures({ command: 'mixer', subject }, all),
    {
      ...toFigure({ name: 'mixer.families_available', unit: 'families', subject }, [families.size]),
      details: { families: [...families].sort() },
    },
  ];
};

export const evaluation: Bench = { name: 'mixer', run };

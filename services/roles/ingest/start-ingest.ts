import { followHead } from '../../ingest/head/follow-head.ts';
import { type AnswerBudget, createAnswerBudget } from '../../ingest/nodes/answer-budget.ts';
import { TRACES_MISSING } from '../../ingest/nodes/traces-missing.ts';
import { isLost } from '../../ingest/until-written.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import type { Clock } from '../../platform/clock.ts';
import { type EventLog, LogError } from '../../platform/event-log/event-log.ts';
import { holdGroup } from '../../platform/event-log/hold-group.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Store } from '../store/open-store.ts';
import { type ChainNodes, openHeadSource } from './open-source.ts';

export type ChainToFollow = ChainNodes & {
  /** Where to begin when the log holds nothing of the chain; null: at its head. */
  readonly start: number | null;
  /** A generated chain ends, and its head may stand still. */
  readonly isLive: boolean;
};

/** Blocks taken since the start of which something was missing or contradicted itself, and what of the newest one. */
export type PartialBlocks = {
  readonly blocks: number;
  readonly newest: { readonly block: number; readonly reason: string } | null;
};

/** How far a chain is: what it showed us, and what the log holds. */
export type ChainProgress = {
  readonly chain: string;
  readonly finality: string;
  readonly isLive: boolean;
  /** Another process follows the chain; this one takes over when that ends or falls silent. */
  isStandingBy: boolean;
  head: number | null;
  indexed: number | null;
  /** Taken since the process started. */
  blocks: number;
  transfers: number;
  /** When the log last got a block of it, or ingestion began. */
  movedUnixMs: number;
  trouble: string | null;
  /** Whether a node shows what calls moved inside transactions; null while unknown, and where blocks tell it. */
  traces: boolean | null;
  /** Blocks taken since the start of which no node could trace every call, though nodes trace others. */
  tracesMissing: number;
  partial: PartialBlocks;
};

export type RunningIngest = {
  readonly progress: readonly ChainProgress[];
  /** Rejects when the log takes nothing from this process any more: another one follows a chain in its place. */
  readonly ended: Promise<void>;
  /** Finishes the append under way. */
  stop(): Promise<void>;
};

// Blocks are asked for this many at a time: enough to hide the way to the node, little enough to hold in memory.
const PARALLEL = 16;
const POLL_MS = 1_000;
// Deeper than any chain here abandons blocks (Polygon: 157 in 2023): beyond it a node is on another chain than ours.
export const REORG_DEPTH_MAX = 256;
/** Answers on their way, of all chains together. */
const ANSWER_BYTES_MAX = 128 << 20;

/**
 * Follows every chain into the log, each by itself: trouble with one does not stop the others. Of all processes, whatever
 * else they do, one follows a chain, and the others stand by.
 */
export const startIngest = (request: {
  store: Store;
  chains: readonly ChainToFollow[];
  logger: Logger;
  metrics: Metrics;
  clock: Clock;
}): RunningIngest => {
  const stopping = new AbortController();
  const budget = createAnswerBudget(ANSWER_BYTES_MAX);
  const started = request.chains.map((chain) => {
    const state = newProgress(chain, request.clock);
    const ended = followChain({ ...request, chain, state, budget, signal: stopping.signal });
    return { state, ended };
  });
  const ended = Promise.all(started.map((each) => each.ended)).then(() => {});
  // Whoever started it looks at `ended`; until then a failure must not count as unhandled.
  ended.catch(() => {});
  return {
    progress: started.map(({ state }) => state),
    ended,
    stop: async () => {
      stopping.abort();
      await Promise.allSettled(started.map((each) => each.ended));
    },
  };
};

const newProgress = ({ name, commitment, isLive }: ChainToFollow, clock: Clock): ChainProgress => ({
  chain: name,
  finality: commitment,
  isLive,
  isStandingBy: true,
  head: null,
  indexed: null,
  blocks: 0,
  transfers: 0,
  movedUnixMs: clock.nowUnixMs(),
  trouble: null,
  traces: null,
  tracesMissing: 0,
  partial: { blocks: 0, newest: null },
});

type ChainRequest = {
  store: Store;
  chain: ChainToFollow;
  state: ChainProgress;
  budget: AnswerBudget;
  logger: Logger;
  metrics: Metrics;
  clock: Clock;
  signal: AbortSignal;
};

/** A group is joined for topics; nothing of them is read here. */
const HEAD_TOPICS = ['transfers.head'];

const followChain = async (request: ChainRequest): Promise<void> => {
  const { store, chain, state, clock, signal } = request;
  const logger = request.logger.child({ chain: chain.name });
  const owner = await holdGroup(store.log, {
    ...{ group: `head-${chain.name}`, topics: HEAD_TOPICS, signal },
    onWait: (err, waitMs) =>
      logger.warn({ err, waitMs }, 'the event log cannot be reached; the chain is not followed yet'),
  });
  if (!owner) return;
  Object.assign(state, { isStandingBy: false, movedUnixMs: clock.nowUnixMs() });
  // Each append proves that the chain is still ours: one that slept past its lease adds nothing to what its successor wrote.
  const append: EventLog['append'] = (records) => owner.transact({ records, commits: [] });
  try {
    await followOwned(request, { ...store.log, append });
  } finally {
    await owner.close();
  }
};

const followOwned = async (request: ChainRequest, log: EventLog): Promise<void> => {
  const { store, chain, state, budget, metrics, clock, signal } = request;
  const logger = request.logger.child({ chain: chain.name });
  const source = openHeadSource(chain, {
    budget,
    signal,
    rested: ({ endpoint, error, restMs }) =>
      logger.warn({ err: error, endpoint, restMs }, 'a node failed and is not asked for a while'),
    blocksRefused: (code) =>
      logger.warn({ code }, 'the node does not offer blockSubscribe; blocks are requested one by one'),
  });
  try {
    await followHead(
      {
        source,
        log,
        registry: store.registry,
        encode: store.encodeBlock,
        encodeRetraction: store.encodeRetraction,
        partition: CHAINS.findIndex(({ name }) => name === chain.name),
        firstBlock: chain.start,
        parallel: PARALLEL,
        pollMs: POLL_MS,
        reorgDepthMax: REORG_DEPTH_MAX,
        events: {
          progress: ({ head, indexed, blocks }) => {
            if (indexed !== state.indexed) state.movedUnixMs = clock.nowUnixMs();
            const traces = source.offersTraces?.() ?? null;
            Object.assign(state, { head, indexed, traces, trouble: null });
            if (indexed !== null) metrics.chainAt({ chain: chain.name, head, indexed });
            if (blocks > 0) logger.debug({ head, indexed, blocks }, 'blocks appended to the log');
          },
          stored: ({ movements }) => {
            state.blocks += 1;
            state.transfers += movements;
            metrics.blockIngested({ chain: chain.name, movements });
          },
          retracted: (blocks) => logger.warn(blocks, 'the chain abandoned blocks; they were retracted'),
          problem: ({ block, problem }) => {
            if (problem.code === TRACES_MISSING) state.tracesMissing += 1;
            state.partial = countPartial(state.partial, block, problem.code);
            logger.warn({ block, ...problem }, 'part of a block could not be decoded');
          },
          waiting: (err, waitMs) => {
            state.trouble = troubleOf(err);
            metrics.retried(err instanceof LogError ? 'append_blocks' : 'fetch_blocks');
            logger.warn({ err, waitMs }, 'following the chain failed; trying again');
          },
        },
      },
      signal,
    );
  } catch (err) {
    if (signal.aborted) return;
    if (isLost(err)) throw err;
    state.trouble = troubleOf(err);
    logger.error({ err }, 'following the chain has stopped');
  }
};

/** The problems of a block come one after the other. */
const countPartial = ({ blocks, newest }: PartialBlocks, block: number, reason: string): PartialBlocks => ({
  blocks: newest?.block === block ? blocks : blocks + 1,
  newest: { block, reason },
});

/** A code and nothing else: messages may name what must not leave the machine. */
const troubleOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'internal';

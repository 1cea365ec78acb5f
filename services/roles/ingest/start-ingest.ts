import { followHead } from '../../ingest/head/follow-head.ts';
import { type AnswerBudget, createAnswerBudget } from '../../ingest/nodes/answer-budget.ts';
import { TRACES_MISSING } from '../../ingest/nodes/traces-missing.ts';
import { isLost } from '../../ingest/until-written.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import type { Clock } from '../../platform/clock.ts';
import { type EventLog, LogError } from '../../platform/event-log/event-log.ts';
import { holdGroup } from '../../platform/event-log/hold-group.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../create-metrics.ts';
import type { Store } from '../store/open-store.ts';
import { type ChainNodes, openHeadSource } from './open-source.ts';

export type ChainToFollow = ChainNodes & {
  /** Where to start if the log holds nothing of the chain; null: at its head. */
  readonly start: number | null;
  /** A generated chain ends, so its head may stand still. */
  readonly isLive: boolean;
};

/** Incomplete or contradictory blocks since the start, and the newest one's reason. */
export type PartialBlocks = {
  readonly blocks: number;
  readonly newest: { readonly block: number; readonly reason: string } | null;
};

/** A chain's progress: what it showed, and what the log holds. */
export type ChainProgress = {
  readonly chain: string;
  readonly finality: string;
  readonly isLive: boolean;
  /** Another process follows the chain; this one takes over when that one ends or falls silent. */
  isStandingBy: boolean;
  head: number | null;
  indexed: number | null;
  /** Taken since the process started. */
  blocks: number;
  transfers: number;
  /** When the log last got one of its blocks, or ingestion began. */
  movedUnixMs: number;
  trouble: string | null;
  /** Whether a node gives traces; null while unknown, and if blocks tell everything. */
  traces: boolean | null;
  /** Blocks since the start that no node could trace completely, although nodes trace others. */
  tracesMissing: number;
  partial: PartialBlocks;
};

export type RunningIngest = {
  readonly progress: readonly ChainProgress[];
  /** Rejects when another process follows a chain in this one's place. */
  readonly ended: Promise<void>;
  /** Finishes the running append. */
  stop(): Promise<void>;
};

// How many blocks are requested at once: enough to hide latency, few enough to hold in memory.
const PARALLEL = 16;
const POLL_MS = 1_000;
// Deeper than any reorganisation here (Polygon: 157 in 2023). Beyond it the node is on another chain.
export const REORG_DEPTH_MAX = 256;
/** Pending answers of all chains together. */
const ANSWER_BYTES_MAX = 128 << 20;

/**
 * Follows every chain into the log independently: a failure of one does not stop the others. One process follows a
 * chain, others stand by.
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
  // The caller looks at `ended`; until then a failure must not count as unhandled.
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

/** A group is joined for topics; nothing is read from them here. */
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
  // Each append proves that this process still owns the chain: after its lease it cannot add to its successor's
  // blocks.
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

/** A block's problems arrive one after the other. */
const countPartial = ({ blocks, newest }: PartialBlocks, block: number, reason: string): PartialBlocks => ({
  blocks: newest?.block === block ? blocks : blocks + 1,
  newest: { block, reason },
});

/** Only a code, because messages may name secrets. */
const troubleOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'internal';

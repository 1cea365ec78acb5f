import type { BlockSource } from '../ingest/block-source.ts';
import { createEvmSource } from '../ingest/evm/fetch-evm-block.ts';
import { followHead } from '../ingest/follow-head.ts';
import { createSolanaSource } from '../ingest/solana/fetch-solana-block.ts';
import { CHAINS, findChain } from '../investigate/model/chain.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Store } from './open-store.ts';

export type ChainToFollow = {
  readonly name: string;
  readonly rpcUrl: string;
  /** Where to begin when the log holds nothing of the chain; null: at its head. */
  readonly firstBlock: number | null;
};

/** How far a chain is: what it showed us, and what the log holds. */
export type ChainProgress = {
  readonly chain: string;
  head: number | null;
  indexed: number | null;
  trouble: string | null;
};

export type RunningIngest = {
  readonly progress: readonly ChainProgress[];
  /** Finishes the append under way. */
  stop(): Promise<void>;
};

// Blocks are asked for this many at a time: enough to hide the way to the node, little enough to hold in memory.
const PARALLEL = 16;
const POLL_MS = 1_000;

const openSource = ({ name, rpcUrl }: ChainToFollow): BlockSource =>
  findChain(name)?.family === 'solana'
    ? createSolanaSource({ chain: name, url: rpcUrl })
    : createEvmSource({ chain: name, url: rpcUrl });

/** Follows every chain into the log, each by itself: trouble with one does not stop the others. */
export const startIngest = (request: {
  store: Store;
  chains: readonly ChainToFollow[];
  logger: Logger;
  metrics: Metrics;
}): RunningIngest => {
  const stopping = new AbortController();
  const progress = request.chains.map(
    ({ name }): ChainProgress => ({ chain: name, head: null, indexed: null, trouble: null }),
  );
  const running = request.chains.map((chain, i) => {
    const state = progress[i];
    return state ? followChain({ ...request, chain, state, signal: stopping.signal }) : Promise.resolve();
  });
  return {
    progress,
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
};

const followChain = async (request: {
  store: Store;
  chain: ChainToFollow;
  state: ChainProgress;
  logger: Logger;
  metrics: Metrics;
  signal: AbortSignal;
}): Promise<void> => {
  const { store, chain, state, metrics, signal } = request;
  const logger = request.logger.child({ chain: chain.name });
  try {
    await followHead(
      {
        source: openSource(chain),
        log: store.log,
        encode: store.encodeBlock,
        partition: CHAINS.findIndex(({ name }) => name === chain.name),
        firstBlock: chain.firstBlock,
        parallel: PARALLEL,
        pollMs: POLL_MS,
        events: {
          progress: ({ head, indexed, blocks }) => {
            Object.assign(state, { head, indexed, trouble: null });
            if (indexed !== null) metrics.chainAt({ chain: chain.name, head, indexed });
            if (blocks > 0) logger.debug({ head, indexed, blocks }, 'blocks in the log');
          },
          stored: ({ movements }) => metrics.blockIngested({ chain: chain.name, movements }),
          problem: ({ block, problem }) =>
            logger.warn({ block, ...problem }, 'part of a block could not be decoded'),
          waiting: (err, waitMs) => {
            state.trouble = err instanceof Error ? err.message : String(err);
            metrics.retried('fetch_blocks');
            logger.warn({ err, waitMs }, 'blocks are out of reach; asked again');
          },
        },
      },
      signal,
    );
  } catch (err) {
    if (signal.aborted) return;
    state.trouble = err instanceof Error ? err.message : String(err);
    logger.error({ err }, 'this chain is not followed any more');
  }
};

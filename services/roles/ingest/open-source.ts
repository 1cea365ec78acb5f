import { createEvmAskChain } from '../../ingest/evm/fetch-chain.ts';
import { createEvmSource } from '../../ingest/evm/fetch-evm-block.ts';
import type { AnswerBudget } from '../../ingest/nodes/answer-budget.ts';
import type { BlockSource } from '../../ingest/nodes/block-source.ts';
import { withChainChecked } from '../../ingest/nodes/check-chain.ts';
import { createFailOver, type FailOverEvents } from '../../ingest/nodes/fail-over.ts';
import type { Urgency } from '../../ingest/nodes/request-rate.ts';
import { RETRY_LIMITS, type RetryLimits } from '../../ingest/nodes/source-error.ts';
import { withTracesAwaited } from '../../ingest/nodes/traces-missing.ts';
import { createSolanaAskChain } from '../../ingest/solana/nodes/fetch-chain.ts';
import { createSolanaSource } from '../../ingest/solana/nodes/fetch-solana-block.ts';
import { subscribeToBlocks } from '../../ingest/solana/nodes/subscribe-to-blocks.ts';
import { subscribeToSlots } from '../../ingest/solana/nodes/subscribe-to-slots.ts';
import { findChain } from '../../investigate/model/chain.ts';
import type { Commitment, LiveChain } from '../../platform/config/chains.ts';

export type ChainNodes = Pick<
  LiveChain,
  'rpcUrls' | 'websocketUrl' | 'subscribe' | 'commitment' | 'history'
> & {
  readonly name: string;
};

/** With other endpoints a failing one is not waited for. */
const ASK_ONCE: RetryLimits = { attempts: 1, firstWaitMs: 0, longestWaitMs: 0 };

/** A chain's blocks from all its nodes. */
export const openSource = (
  { name, rpcUrls, commitment }: Pick<ChainNodes, 'name' | 'rpcUrls' | 'commitment'>,
  { budget, urgency = 'history', ...events }: FailOverEvents & { budget: AnswerBudget; urgency?: Urgency },
): BlockSource => {
  const shared = { chain: name, budget, urgency, retry: rpcUrls.length > 1 ? ASK_ONCE : RETRY_LIMITS };
  const sources = rpcUrls.map((url) => {
    const [source, askChain] =
      findChain(name)?.family === 'solana'
        ? [
            createSolanaSource({ ...shared, url, commitment: ofSolana(commitment) }),
            createSolanaAskChain({ url }),
          ]
        : [createEvmSource({ ...shared, url, commitment: ofEvm(commitment) }), createEvmAskChain({ url })];
    return withChainChecked(source, askChain, shared.retry);
  });
  return withTracesAwaited(createFailOver(sources, events));
};

type HeadDependencies = FailOverEvents & {
  readonly budget: AnswerBudget;
  readonly signal: AbortSignal;
  /** The code with which a node refused to push blocks. */
  readonly blocksRefused: (code: number) => void;
};

/** The same, with new slots or whole blocks pushed by websocket, as long as the node does that. */
export const openHeadSource = (nodes: ChainNodes, dependencies: HeadDependencies): BlockSource => {
  const { signal, blocksRefused: refused } = dependencies;
  const { websocketUrl: url, subscribe, commitment } = nodes;
  const source = openSource(nodes, { ...dependencies, urgency: 'head' });
  if (url === null) return source;
  if (subscribe === 'blocks')
    return subscribeToBlocks(source, { url, refused, commitment: ofSolana(commitment) }, signal);
  return { ...source, headMoved: subscribeToSlots({ url }, signal).moved };
};

const ofSolana = (commitment: Commitment) => (commitment === 'confirmed' ? commitment : 'finalized');
const ofEvm = (commitment: Commitment) => (commitment === 'confirmed' ? 'latest' : commitment);

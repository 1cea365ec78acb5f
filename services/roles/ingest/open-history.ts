import { numberOfChain } from '../../ingest/bridges/bridge-numbers.ts';
import { createEvmAskChain } from '../../ingest/evm/fetch-chain.ts';
import { anyNode } from '../../ingest/history/any-node.ts';
import { createEtherscanLikeSource } from '../../ingest/history/etherscan-like/etherscan-like-source.ts';
import { openEvmNode } from '../../ingest/history/evm-node/open-evm-node.ts';
import type { HistoryNode, HistorySource } from '../../ingest/history/history-source.ts';
import { openSolanaNode } from '../../ingest/history/solana-node/open-solana-node.ts';
import { createSqdPortalSource } from '../../ingest/history/sqd-portal/sqd-portal-source.ts';
import type { AnswerBudget } from '../../ingest/nodes/answer-budget.ts';
import { withHistoryChecked } from '../../ingest/nodes/check-chain.ts';
import { createSolanaAskChain } from '../../ingest/solana/nodes/fetch-chain.ts';
import { findChain } from '../../investigate/model/chain.ts';
import type { HistoryConfig, LiveChain } from '../../platform/config/chains.ts';

/** A chain's nodes, and who lists its histories: the nodes first, then what is configured beside them. */
export const openHistory = (
  { name, rpcUrls, history = [] }: Pick<LiveChain, 'rpcUrls' | 'history'> & { readonly name: string },
  budget: AnswerBudget,
): { node: HistoryNode; sources: readonly HistorySource[] } => {
  const [open, createAskChain] =
    findChain(name)?.family === 'solana'
      ? [openSolanaNode, createSolanaAskChain]
      : [openEvmNode, createEvmAskChain];
  const opened = rpcUrls.map((url) =>
    withHistoryChecked(open({ chain: name, url, budget }), createAskChain({ url })),
  );
  return {
    node: anyNode(opened.map((each) => each.node)),
    sources: [...opened.map(({ source }) => source), ...history.map((config) => openSource(name, config))],
  };
};

const openSource = (name: string, { type, url, key, perSecond, perDay }: HistoryConfig): HistorySource => {
  const limits = { perSecond, perDay };
  if (type === 'sqd') {
    const family = findChain(name)?.family === 'solana' ? 'solana' : 'evm';
    return createSqdPortalSource({ family, url, key, limits });
  }
  const chainId = numberOfChain('chainId', name);
  if (chainId === null) throw new Error(`the number of ${name} is not known`);
  return createEtherscanLikeSource({ url, key, chainId, limits });
};

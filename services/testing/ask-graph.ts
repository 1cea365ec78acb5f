import type { FlowGraph, FlowRequest, FlowStart } from '../investigate/follow/graph/flow-graph.ts';
import { followGraph } from '../investigate/follow/graph/follow-graph.ts';
import { HOPS_MAX } from '../investigate/follow/rules.ts';
import { findChain } from '../investigate/model/chain.ts';
import type { Label } from '../investigate/model/label.ts';
import { NATIVE } from '../investigate/model/movement.ts';
import type { TransferReader } from '../investigate/model/transfer-reader.ts';
import { followWith } from './ask-follow.ts';
import { type StoryStep, tellStory } from './chain-story.ts';
import { createMemoryControlReader } from './memory/memory-control-reader.ts';
import { createMemoryReader } from './memory-reader.ts';

/** Everything that left a wallet. */
export const startAt = (start: string): FlowStart => ({
  ...{ start, atUnixSeconds: null, amount: null, counterparty: null },
});

/** The coin on Solana out of ann's wallet, unless it says otherwise. */
export const toFlowRequest = (more: Partial<FlowRequest> = {}): FlowRequest => {
  const chain = findChain('solana');
  if (chain === null) throw new Error('no solana');
  return {
    ...{ chain, canonicalAsset: NATIVE, maxHops: HOPS_MAX, starts: [startAt('ann')] },
    ...{ budget: { calls: 1_000, seconds: 85 }, minUsd: 0, minProbability: 0.05 },
    ...more,
  };
};

export const askGraph = (
  story: readonly StoryStep[],
  more: Partial<FlowRequest> = {},
  labels: Readonly<Record<string, Label>> = {},
  change: (reader: TransferReader) => TransferReader = (reader) => reader,
): Promise<FlowGraph> => {
  const request = toFlowRequest(more);
  const blocks = tellStory(request.chain.name, story);
  const reader = createMemoryReader(blocks, { labels: new Map(Object.entries(labels)) });
  const control = createMemoryControlReader(blocks);
  return followGraph(request, { ...followWith(change(reader)), control });
};

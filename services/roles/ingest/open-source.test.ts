import { expect, onTestFinished, test } from 'vitest';
import { createAnswerBudget } from '../../ingest/answer-budget.ts';
import { followChain, untilHeld } from '../../testing/follow-chain.ts';
import { startBranchingNode } from '../../testing/nodes/branching-solana-node.ts';
import { startSlotServer } from '../../testing/nodes/slot-server.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore } from '../store/open-store.ts';
import { openHeadSource } from './open-source.ts';

const PATIENCE = { timeout: 20_000, interval: 10 };
const NEVER_MS = 3_600_000;

test('a block is taken as soon as its node tells of a slot, without asking for the head meanwhile', async () => {
  const node = await startBranchingNode({ seed: 5, people: 8, days: 1, blockSeconds: 1_800 });
  const slots = await startSlotServer();
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  onTestFinished(() => store.close());
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const source = openHeadSource(
    { name: 'solana', rpcUrls: [node.url], websocketUrl: slots.url, commitment: 'confirmed' },
    {
      budget: createAnswerBudget(64 << 20),
      signal: stopping.signal,
      rested: () => {},
      blocksRefused: () => {},
    },
  );
  await expect.poll(() => slots.received, PATIENCE).toHaveLength(1);
  let hash = node.follow(3);
  const following = followChain(store, source, { firstBlock: node.firstSlot, pollMs: NEVER_MS });
  onTestFinished(() => following.stop());
  await untilHeld(store, { chain: 'solana', hash, following });
  for (const place of [4, 6]) {
    hash = node.follow(place);
    slots.tell(node.firstSlot + place);
    await untilHeld(store, { chain: 'solana', hash, following });
  }
});

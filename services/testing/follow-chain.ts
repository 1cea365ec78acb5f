import { setTimeout as sleep } from 'node:timers/promises';
import { followHead, type HeadOptions } from '../ingest/head/follow-head.ts';
import { type StandingBlock, standingBlocks } from '../ingest/head/standing-blocks.ts';
import type { BlockSource } from '../ingest/nodes/block-source.ts';
import type { Store } from '../roles/store/open-store.ts';

const PARTITION = 0;
const HEAD = { topic: 'transfers.head', partition: PARTITION };

export type Following = {
  /** Rejects with what ended it. */
  readonly ended: Promise<never>;
  stop(): Promise<void>;
};

/** Follows a source into the log of a store, as the service does but faster. */
export const followChain = (
  store: Store,
  source: BlockSource,
  over: Partial<HeadOptions> = {},
): Following => {
  const stopping = new AbortController();
  const ignore = () => {};
  const events = { progress: ignore, stored: ignore, retracted: ignore, problem: ignore, waiting: ignore };
  const { log, registry, encodeBlock: encode, encodeRetraction } = store;
  const options = { source, log, registry, encode, encodeRetraction, partition: PARTITION, firstBlock: 0 };
  const limits = { parallel: 4, pollMs: 2, reorgDepthMax: 64 };
  const ended = followHead({ ...options, ...limits, events, ...over }, stopping.signal);
  ended.catch(ignore);
  return {
    ended,
    stop: async () => {
      stopping.abort();
      await ended.catch(ignore);
    },
  };
};

/** The blocks that stand in the log of a followed chain, oldest first. */
export const readStanding = async (store: Store, chain: string): Promise<StandingBlock[]> => {
  const blocks: StandingBlock[] = [];
  for await (const block of standingBlocks({ ...store, ...HEAD, chain })) blocks.unshift(block);
  return blocks;
};

/** Waits until the log holds a block as its chain's newest; throws what ended the following, if it did. */
export const untilHeld = async (
  store: Store,
  { chain, hash, following }: { chain: string; hash: string; following: Following },
): Promise<void> => {
  for (;;) {
    const newest = await standingBlocks({ ...store, ...HEAD, chain }).next();
    if (newest.value?.hash === hash) return;
    await Promise.race([sleep(2), following.ended]);
  }
};

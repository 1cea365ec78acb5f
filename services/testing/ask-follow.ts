import { describeEnd } from '../api/follow/describe-end.ts';
import { follow } from '../investigate/follow/follow.ts';
import type { FollowRequest, Trail } from '../investigate/follow/trail.ts';
import { NO_BACKFILLS } from '../investigate/model/backfills.ts';
import { findChain } from '../investigate/model/chain.ts';
import type { Label } from '../investigate/model/label.ts';
import type { TransferReader } from '../investigate/model/transfer-reader.ts';
import { type StoryStep, tellStory } from './chain-story.ts';
import { createMemoryAssetReader } from './memory/memory-asset-reader.ts';
import { createMemoryControlReader } from './memory/memory-control-reader.ts';
import { createMemoryPriceReader } from './memory/memory-price-reader.ts';
import { createMemoryReader } from './memory-reader.ts';

/** What /follow needs beside a reader, on a clock that stands still. */
export const followWith = (reader: TransferReader) => ({
  reader,
  prices: createMemoryPriceReader(),
  assets: createMemoryAssetReader(),
  backfills: NO_BACKFILLS,
  clock: { nowUnixMs: () => 0 },
  signal: new AbortController().signal,
});

export const readStory = (story: readonly StoryStep[], chain = 'solana'): TransferReader =>
  createMemoryReader(tellStory(chain, story));

type Counted = { readonly side?: string; readonly wallet?: string; readonly transfersOnly?: boolean };

/** A reader that notes what it is asked, and of which wallet. */
export const countQuestions = (whole: TransferReader) => {
  const questions: { readonly name: string; readonly wallet: string | undefined }[] = [];
  const counting = new Proxy(whole, {
    get:
      (all, method: keyof TransferReader) =>
      (...asked: readonly [Counted, ...(readonly unknown[])]) => {
        const [{ side, wallet, transfersOnly }, places] = asked;
        const name = side ?? method;
        const [place] = side === undefined ? [] : (places as readonly { readonly wallet: string }[]);
        questions.push({
          name: transfersOnly ? `${name} without swaps` : name,
          wallet: wallet ?? place?.wallet,
        });
        return (all[method] as (...asked: readonly unknown[]) => unknown)(...asked);
      },
  });
  return { asked: questions, counting };
};

export type Question = Partial<Omit<FollowRequest, 'chain'>> & { readonly chain?: string };

/** The coin out of alice's wallet on Solana, unless it says otherwise. */
export const toFollowRequest = ({ chain = 'solana', ...rest }: Question): FollowRequest => {
  const found = findChain(chain);
  if (found === null) throw new Error(chain);
  return {
    ...{ start: 'alice', canonicalAsset: 'native', atUnixSeconds: null, amount: null, tracedRaw: null },
    ...{ counterparty: null, backward: false, maxHops: 25 },
    ...rest,
    chain: found,
  };
};

/** A trail with the sentence that an answer shows of its end. */
export type ToldTrail = Trail & { readonly end: { readonly detail: string } };

/** `follow`, and what an answer would say of the end. */
export const followAndTell = async (...asked: Parameters<typeof follow>): Promise<ToldTrail> => {
  const trail = await follow(...asked);
  return { ...trail, end: { ...trail.end, detail: describeEnd(trail).detail } };
};

/** Follows a question through a story. */
export const ask = (
  story: readonly StoryStep[],
  question: Question = {},
  labels: Readonly<Record<string, Label>> = {},
): Promise<ToldTrail> => {
  const request = toFollowRequest(question);
  const blocks = tellStory(request.chain.name, story);
  const reader = createMemoryReader(blocks, { labels: new Map(Object.entries(labels)) });
  const control = createMemoryControlReader(blocks);
  return followAndTell(request, { ...followWith(reader), control });
};

export const path = ({ hops }: Trail): string[] => hops.map(({ from, to }) => `${from}>${to}`);

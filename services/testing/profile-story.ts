import { analyze } from '../investigate/analyze/analyze.ts';
import { NO_BACKFILLS } from '../investigate/model/backfills.ts';
import { findChain } from '../investigate/model/chain.ts';
import type { AssetClaim } from '../investigate/model/describe-asset.ts';
import type { Label } from '../investigate/model/label.ts';
import { type StoryStep, tellStory } from './chain-story.ts';
import { createMemoryAssetReader } from './memory/memory-asset-reader.ts';
import { createMemoryControlReader } from './memory/memory-control-reader.ts';
import { createMemoryPriceReader } from './memory/memory-price-reader.ts';
import { createMemoryProfileReader, type MemoryProfileOptions } from './memory/memory-profile-reader.ts';
import { createMemoryTokenReader } from './memory/memory-token-reader.ts';

export const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
export const DOLLAR = 1_000_000n;
export const ETHER = 10n ** 18n;

type StoryOptions = Omit<MemoryProfileOptions, 'labels'> & {
  readonly labels?: Readonly<Record<string, Label>>;
  /** What tokens say of themselves. */
  readonly claims?: Readonly<Record<string, AssetClaim>>;
  /** What nodes of the chain say of the wallet. */
  readonly held?: Readonly<Record<string, bigint>>;
  readonly keepsControl?: boolean;
  /** Since when control events are kept; unless it is given, since the chain began. */
  readonly controlSince?: number;
};

/** The profile of an address of a story on Ethereum, where a coin was worth 2,000 dollars all the time. */
export const profileOf = async (
  wallet: string,
  steps: readonly StoryStep[],
  { labels = {}, claims = {}, held = {}, keepsControl = true, controlSince, ...more }: StoryOptions = {},
) => {
  const chain = findChain('ethereum');
  if (chain === null) throw new Error('ethereum is a chain');
  const inOrder = steps.toSorted((a, b) => a.time - b.time);
  const told = tellStory('ethereum', inOrder);
  const blocks = keepsControl ? told : told.map((block) => ({ ...block, controlCoverage: 'none' as const }));
  const assets = createMemoryAssetReader(
    new Map(Object.entries(claims).map(([asset, claim]) => [`ethereum:${asset}`, claim])),
  );
  const reader = createMemoryProfileReader(blocks, {
    labels: new Map(Object.entries(labels)),
    ...more,
  });
  const coin = inOrder.map(({ time }) => ({
    ...({
      chain: 'ethereum',
      canonicalAsset: 'native',
      source: 'import:test',
      span: 'time',
      usd: 2_000,
    } as const),
    ...{ beginUnixSeconds: time, atUnixSeconds: time },
  }));
  return analyze(
    { chain, address: wallet },
    {
      control: createMemoryControlReader(
        blocks,
        controlSince === undefined ? {} : { keptSince: controlSince },
      ),
      tokens: createMemoryTokenReader(blocks),
      ...{ reader, prices: createMemoryPriceReader(coin), assets },
      holdings: { holding: async (_, assets) => assets.map((asset) => held[asset] ?? null) },
      ...{ backfills: NO_BACKFILLS, clock: { nowUnixMs: () => 0 }, signal: new AbortController().signal },
    },
  );
};

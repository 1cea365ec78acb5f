import { findInsiders } from '../investigate/insiders/find-insiders.ts';
import type { InsidersDependencies } from '../investigate/insiders/insiders-reader.ts';
import type { InsidersReport } from '../investigate/insiders/insiders-report.ts';
import { findChain } from '../investigate/model/chain.ts';
import type { Label } from '../investigate/model/label.ts';
import { move, type StoryStep, tellStory } from './chain-story.ts';
import { createMemoryAssetReader } from './memory/memory-asset-reader.ts';
import { createMemoryCaseReader } from './memory/memory-case-reader.ts';
import { createMemoryControlReader } from './memory/memory-control-reader.ts';
import { createMemoryFunderReader } from './memory/memory-funder-reader.ts';
import { createMemoryPriceReader } from './memory/memory-price-reader.ts';
import { createMemoryTokenReader } from './memory/memory-token-reader.ts';
import type { IndexedBlocks } from './memory/span-of.ts';
import { createMemoryReader } from './memory-reader.ts';

export const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
export const DOLLAR = 1_000_000n;
export const T = 1_700_000_000;
export const SUPPLY = 1_000n;

type Setting = IndexedBlocks & {
  readonly windowSeconds?: number;
  readonly labels?: Readonly<Record<string, Label>>;
  readonly underivedFrom?: number;
  readonly replaced?: Partial<InsidersDependencies>;
};

/** Asks who is an insider of `token`, of a story on memory readers. */
export const ask = (
  steps: readonly StoryStep[],
  { windowSeconds = 60, labels = {}, underivedFrom, replaced, ...indexed }: Setting = {},
) => {
  const chain = findChain('ethereum');
  if (chain === null) throw new Error('ethereum');
  const blocks = tellStory(
    'ethereum',
    steps.toSorted((a, b) => a.time - b.time),
  );
  return findInsiders(
    { chain, token: 'token', windowSeconds },
    {
      tokens: createMemoryTokenReader(blocks),
      cases: createMemoryCaseReader(blocks),
      funders: createMemoryFunderReader(blocks, { underivedFrom: underivedFrom ?? null }),
      reader: createMemoryReader(blocks, {
        labels: new Map(Object.entries(labels)),
        ...indexed,
      }),
      controls: createMemoryControlReader(blocks),
      prices: createMemoryPriceReader(),
      assets: createMemoryAssetReader(),
      clock: { nowUnixMs: () => 0 },
      signal: new AbortController().signal,
      ...replaced,
    },
  );
};

export const token = { asset: 'token' };
export const funds = (hours: number, from: string, to: string): StoryStep => ({
  ...{ time: T - hours * 3_600, by: from, moves: [move(from, to, 10n ** 18n)] },
});
/** A launchpad's create: the supply is issued to the curve. */
export const create: StoryStep = {
  ...{
    time: T,
    hash: 'create',
    by: 'creator',
    moves: [move(null, 'curve', SUPPLY, { ...token, kind: 'mint' })],
  },
};
export const swapOf = (owner: string, gave: string, gaveRaw: bigint, got: string, gotRaw: bigint) => ({
  ...{ owner, gaveAsset: gave, gaveRaw, gotAsset: got, gotRaw, through: 'curve' },
});
export const buys = (at: number, buyer: string, raw = 10n, by = buyer): StoryStep => ({
  ...{ time: T + at, hash: `buy ${buyer} ${at}`, by },
  moves: [move(buyer, 'curve', raw * DOLLAR, { asset: USDC }), move('curve', buyer, raw, token)],
  swaps: [swapOf(buyer, USDC, raw * DOLLAR, 'token', raw)],
});
export const sells = (at: number, seller: string, raw: bigint, dollars: bigint): StoryStep => ({
  ...{ time: T + at, by: seller },
  moves: [move(seller, 'curve', raw, token), move('curve', seller, dollars * DOLLAR, { asset: USDC })],
  swaps: [swapOf(seller, 'token', raw, USDC, dollars * DOLLAR)],
});
/** Far behind the launch: nobody who only bought here is early. */
export const later = buys(90_000, 'public');

export const kindsOf = ({ insiders }: InsidersReport) =>
  Object.fromEntries(
    insiders.map(({ address, kinds }) => [address, kinds.filter((kind) => kind !== 'top_holder')]),
  );

import type { CaseReader } from '../investigate/model/case-reader.ts';
import { findChain } from '../investigate/model/chain.ts';
import type { Label } from '../investigate/model/label.ts';
import { findVictims } from '../investigate/victims/find-victims.ts';
import type { VictimsReport, VictimsRequest } from '../investigate/victims/victims-report.ts';
import { move, type StoryStep, tellStory } from './chain-story.ts';
import { createMemoryAssetReader } from './memory/memory-asset-reader.ts';
import { createMemoryCaseReader } from './memory/memory-case-reader.ts';
import { createMemoryControlReader } from './memory/memory-control-reader.ts';
import { createMemoryFunderReader } from './memory/memory-funder-reader.ts';
import { createMemoryPriceReader } from './memory/memory-price-reader.ts';
import { createMemoryTokenReader } from './memory/memory-token-reader.ts';
import { createMemoryReader } from './memory-reader.ts';

export const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
export const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7';
export const DOLLAR = 1_000_000n;
export const T = 1_700_000_000;

type Setting = Partial<Omit<VictimsRequest, 'chain'>> & {
  readonly chain?: string;
  readonly labels?: Readonly<Record<string, Label>>;
  readonly imitated?: Readonly<Record<string, string>>;
  readonly cases?: CaseReader;
  readonly quotes?: Parameters<typeof createMemoryPriceReader>[0];
  readonly claims?: Parameters<typeof createMemoryAssetReader>[0];
  /** Unix seconds since which control events are kept. */
  readonly controlsKeptSince?: number;
  /** Told of each query for the events of addresses: the kinds, and how many addresses. */
  readonly onEvents?: (kinds: string, addresses: number) => void;
  readonly clock?: { readonly nowUnixMs: () => number };
  /** Since when blocks have no gap; unless it is given, since the chain began. */
  readonly indexedSince?: number;
};

/** Asks who lost what to `thief`, of a story on memory readers. */
export const askVictims = (steps: readonly StoryStep[], setting: Setting = {}): Promise<VictimsReport> => {
  const { chain: name = 'ethereum', labels = {}, imitated = {}, ...rest } = setting;
  const chain = findChain(name);
  if (chain === null) throw new Error(name);
  const blocks = tellStory(name, steps);
  const indexed = setting.indexedSince === undefined ? {} : { indexedSince: setting.indexedSince };
  const kept = setting.controlsKeptSince === undefined ? {} : { keptSince: setting.controlsKeptSince };
  const controls = createMemoryControlReader(blocks, kept);
  const request = { address: 'thief', fromUnixSeconds: 0, toUnixSeconds: 2 * T, limit: 100, ...rest, chain };
  return findVictims(request, {
    cases: setting.cases ?? createMemoryCaseReader(blocks, { imitated: new Map(Object.entries(imitated)) }),
    funders: createMemoryFunderReader(blocks),
    reader: createMemoryReader(blocks, { labels: new Map(Object.entries(labels)), ...indexed }),
    controls: {
      ...controls,
      eventsOf: (common, asked, limits) => {
        setting.onEvents?.(common.kinds.join(' '), asked.length);
        return controls.eventsOf(common, asked, limits);
      },
    },
    tokens: createMemoryTokenReader(blocks),
    prices: createMemoryPriceReader(setting.quotes),
    assets: createMemoryAssetReader(setting.claims),
    clock: setting.clock ?? { nowUnixMs: () => 0 },
    signal: new AbortController().signal,
  });
};

export const usdc = (from: string, to: string, dollars: bigint, authority: string | null = null) =>
  move(from, to, dollars * DOLLAR, { asset: USDC, authority });
export const pays = (at: number, from: string, to: string, dollars: bigint): StoryStep => ({
  ...{ time: T + at, by: from, moves: [usdc(from, to, dollars)] },
});
export const taken = (at: number, from: string, to: string, dollars: bigint): StoryStep => ({
  ...{ time: T + at, by: 'operator', moves: [usdc(from, to, dollars, 'operator')] },
});

export const told = ({ victims }: VictimsReport) =>
  victims.map(({ address, losses }) => [
    address,
    ...losses.map(({ method, amountRaw }) => `${method} ${amountRaw / DOLLAR}`),
  ]);

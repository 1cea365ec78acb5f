import { analyze } from '../../services/investigate/analyze/analyze.ts';
import { follow } from '../../services/investigate/follow/follow.ts';
import type { FlowRequest } from '../../services/investigate/follow/graph/flow-graph.ts';
import { followGraph } from '../../services/investigate/follow/graph/follow-graph.ts';
import {
  FLOW_CALLS_MAX,
  HOPS_DEFAULT,
  HOPS_MAX,
  MIN_PROBABILITY_DEFAULT,
} from '../../services/investigate/follow/rules.ts';
import type { FollowRequest } from '../../services/investigate/follow/trail.ts';
import { findInsiders } from '../../services/investigate/insiders/find-insiders.ts';
import { WINDOW_MAX_SECONDS } from '../../services/investigate/insiders/rules.ts';
import type { Address } from '../../services/investigate/model/address.ts';
import { type Backfills, NO_BACKFILLS } from '../../services/investigate/model/backfills.ts';
import type { Chain } from '../../services/investigate/model/chain.ts';
import { ReadFailedError, type TransferReader } from '../../services/investigate/model/transfer-reader.ts';
import { traceTogether } from '../../services/investigate/trace/together/trace-together.ts';
import { trace } from '../../services/investigate/trace/trace.ts';
import { TraceRefusedError, type TraceRequest } from '../../services/investigate/trace/trace-answer.ts';
import { findVictims } from '../../services/investigate/victims/find-victims.ts';
import type { Readers } from './readers.ts';

/** A question with a name of its own, the same in every recording. */
export type Asked = { readonly name: string; readonly ask: (readers: Readers) => Promise<unknown> };

export type Subject = { readonly chain: Chain; readonly address: Address };

const { signal } = new AbortController();
/** Time stands still, so that no budget ends sooner on a busy machine. */
const clock = { nowUnixMs: () => 0 };
const WHOLE: Backfills = {
  canBackfill: () => false,
  lastBackfill: () => ({ readAtUnixSeconds: Number.MAX_SAFE_INTEGER, missing: 'nothing' }),
};

type Trail = Subject & Partial<Omit<FollowRequest, 'chain' | 'start'>>;

const toTrail = ({ chain, address: start, ...asked }: Trail): FollowRequest => ({
  ...{ chain, start, canonicalAsset: null, atUnixSeconds: null, amount: null, tracedRaw: null },
  ...{ counterparty: null, backward: false, maxHops: HOPS_DEFAULT, ...asked },
});

const followOf = ({ transfers: reader, prices, assets }: Readers) => ({
  ...{ reader, prices, assets, clock, signal },
  backfills: NO_BACKFILLS,
});

export const askTrail = (name: string, asked: Trail, unread: Unread | null = null): Asked => ({
  name: `trail ${name} ${asked.chain.name} ${asked.address}`,
  ask: (readers) => follow(toTrail(asked), followOf(failingAt(readers, unread))),
});

type Flow = Pick<FlowRequest, 'chain' | 'canonicalAsset' | 'starts'> & Partial<FlowRequest>;

export const askFlow = (name: string, asked: Flow, unread: Unread | null = null): Asked => ({
  name: `flow ${name} ${asked.chain.name} ${asked.starts[0]?.start}`,
  ask: (readers) =>
    followGraph(
      {
        ...{ maxHops: HOPS_MAX, budget: { calls: FLOW_CALLS_MAX, seconds: 85 } },
        ...{ minUsd: 0, minProbability: MIN_PROBABILITY_DEFAULT, ...asked },
      },
      followOf(failingAt(readers, unread)),
    ),
});

/** Reads of this wallet's outflows fail, alone and together with others. */
export type Unread = { readonly wallet: Address; readonly code: 'unavailable' | 'timeout' };

const failingAt = ({ transfers, ...others }: Readers, unread: Unread | null): Readers => {
  if (unread === null) return { transfers, ...others };
  const refuse = (wallets: readonly Address[]): void => {
    if (wallets.includes(unread.wallet)) throw new ReadFailedError(unread.code);
  };
  const failing: TransferReader = {
    ...transfers,
    flows: async (common, places, limits) => {
      if (common.side === 'departures') refuse(places.map(({ wallet }) => wallet));
      const pages = await transfers.flows(common, places, limits);
      // Without the next wallet's page, which would be read after all.
      return pages.map(({ rows, next }) => ({ rows, next }));
    },
  };
  return { ...others, transfers: failing };
};

const refusal = (error: unknown): unknown => {
  if (!(error instanceof TraceRefusedError)) throw error;
  return { refused: error.code, field: error.field, message: error.message };
};

export const askTrace = (request: TraceRequest): Asked => ({
  name: `trace ${request.chain.name} ${request.direction} ${request.signature} ${request.wallet} ${request.missing.join()}`,
  ask: ({ trace: reader, prices }) => trace(request, { reader, prices, signal }).catch(refusal),
});

/** Traces that share their queries. */
export const askTraces = (name: string, requests: readonly TraceRequest[]): Asked => ({
  name: `traces ${name} ${requests.length} from ${requests[0]?.signature}`,
  ask: async ({ trace: reader, prices }) => {
    const traced = await traceTogether(requests, { reader, prices, signal });
    return traced.map((one) => ('refused' in one ? refusal(one.refused) : one));
  },
});

export const askProfile = ({ chain, address }: Subject): Asked => ({
  name: `profile ${chain.name} ${address}`,
  ask: ({ profile: reader, control, tokens, prices, assets }) =>
    analyze(
      { chain, address },
      { reader, control, tokens, prices, assets, clock, signal, backfills: WHOLE, budgetMs: 600_000 },
    ),
});

export const askVictims = ({ chain, address }: Subject): Asked => ({
  name: `victims ${chain.name} ${address}`,
  ask: ({ transfers: reader, control: controls, ...others }) =>
    findVictims(
      { chain, address, fromUnixSeconds: 0, toUnixSeconds: 4_294_967_295, limit: 100 },
      { ...others, reader, controls, clock, signal },
    ),
});

export const askInsiders = ({ chain, address: token }: Subject): Asked => ({
  name: `insiders ${chain.name} ${token}`,
  ask: ({ transfers: reader, control: controls, ...others }) =>
    findInsiders(
      { chain, token, windowSeconds: WINDOW_MAX_SECONDS },
      { ...others, reader, controls, clock, signal },
    ),
});

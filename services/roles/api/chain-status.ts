import type { ChainStatus } from '../../api/status/status-probes.ts';
import { findChain } from '../../investigate/model/chain.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LiveChain } from '../../platform/config/chains.ts';
import type { IndexedHead } from '../../warehouse/read/blocks/indexed-head.ts';
import type { ChainProgress } from '../ingest/start-ingest.ts';

/** Finality moves in steps of minutes on EVM chains; blocks come every few seconds. */
const STILL_SECONDS_MAX = { byBlock: 120, byFinality: 1_200 };

const movesInSteps = ({ chain, finality }: { chain: string; finality: string }): boolean =>
  findChain(chain)?.family === 'evm' && finality !== 'latest';

type Judged = Pick<ChainStatus, 'chain' | 'head' | 'indexed' | 'lagSeconds' | 'stillSeconds' | 'finality'>;
type Seen = { number: number | null; sinceUnixMs: number; hasMoved: boolean };

/**
 * How a chain is, as far as this process knows. If it is followed here: what its nodes showed. Otherwise: the age
 * of the newest block in the tables. `configured`: chains that any process follows.
 */
export const createChainStatus = (dependencies: {
  progress: readonly ChainProgress[];
  configured: readonly Pick<LiveChain, 'name' | 'commitment'>[];
  /** By chain, if this process audits. */
  gaps: ReadonlyMap<string, number>;
  clock: Clock;
}) => {
  const { progress, configured, gaps, clock } = dependencies;
  const seen = new Map<string, Seen>();

  const look = (chain: string, number: number | null, nowUnixMs: number): Seen => {
    const last = seen.get(chain);
    if (last?.number === number) return last;
    const now = { number, sinceUnixMs: nowUnixMs, hasMoved: last !== undefined };
    seen.set(chain, now);
    return now;
  };

  const followedElsewhere = (chain: string, finality: string, indexed: IndexedHead | null): Judged => {
    const nowUnixMs = clock.nowUnixMs();
    const { sinceUnixMs, hasMoved } = look(chain, indexed?.number ?? null, nowUnixMs);
    const ageSeconds = indexed && ageOf(indexed, nowUnixMs);
    const sinceSeconds = Math.max(0, Math.round((nowUnixMs - sinceUnixMs) / 1_000));
    const inSteps = movesInSteps({ chain, finality });
    return {
      chain,
      finality,
      head: null,
      indexed: indexed?.number ?? null,
      // Finalised blocks are already old when they arrive.
      lagSeconds: inSteps ? null : ageSeconds,
      // Old blocks in a row are a history that is catching up.
      stillSeconds: hasMoved || inSteps ? sinceSeconds : (ageSeconds ?? sinceSeconds),
    };
  };

  const followedHere = (followed: ChainProgress, indexed: IndexedHead | null): Judged => {
    const { chain, finality, head, isLive, movedUnixMs } = followed;
    const nowUnixMs = clock.nowUnixMs();
    return {
      chain,
      finality,
      head,
      indexed: indexed?.number ?? null,
      lagSeconds: head === null || !indexed ? null : lagOf(head, indexed, nowUnixMs),
      stillSeconds: isLive ? Math.max(0, Math.round((nowUnixMs - movedUnixMs) / 1_000)) : null,
    };
  };

  const notFollowedHere = (
    chain: string,
    indexed: IndexedHead | null,
    seesTables: boolean,
  ): Judged | null => {
    const other = configured.find(({ name }) => name === chain);
    if (other && seesTables) return followedElsewhere(chain, other.commitment, indexed);
    // Only from files, so its head is unknown.
    const unknown = { head: null, lagSeconds: null, stillSeconds: null };
    return indexed && { chain, indexed: indexed.number, finality: 'finalized', ...unknown };
  };

  /** null if this process neither knows it nor will. */
  return (chain: string, indexed: IndexedHead | null, seesTables: boolean): ChainStatus | null => {
    const followed = progress.find((each) => each.chain === chain && !each.isStandingBy);
    const judged = followed ? followedHere(followed, indexed) : notFollowedHere(chain, indexed, seesTables);
    if (judged === null) return null;
    const stillMax = STILL_SECONDS_MAX[movesInSteps(judged) ? 'byFinality' : 'byBlock'];
    return {
      ...judged,
      isStalled: judged.stillSeconds !== null && judged.stillSeconds > stillMax,
      trouble: followed?.trouble ?? null,
      traces: followed?.traces ?? null,
      tracesMissing: followed?.tracesMissing ?? null,
      partial: followed?.partial ?? null,
      gaps: gaps.get(chain) ?? null,
    };
  };
};

/** null if the block does not tell its time. */
const ageOf = ({ timeUnixSeconds }: IndexedHead, nowUnixMs: number): number | null =>
  timeUnixSeconds === 0 ? null : Math.max(0, Math.round(nowUnixMs / 1_000) - timeUnixSeconds);

/** A block behind the head is as late as it is old. */
const lagOf = (head: number, indexed: IndexedHead, nowUnixMs: number): number | null =>
  indexed.number >= head ? 0 : ageOf(indexed, nowUnixMs);

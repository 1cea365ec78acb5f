import type { ChainStatus, StatusProbes } from '../api/status/status-probes.ts';
import { findChain } from '../investigate/model/chain.ts';
import type { RunningPayments } from '../payments/start-payments.ts';
import { askOnce } from '../platform/ask-once.ts';
import type { Clock } from '../platform/clock.ts';
import type { Warehouse } from '../platform/warehouse-engine/warehouse.ts';
import { type IndexedHead, readIndexedHead } from '../warehouse/read/indexed-head.ts';
import type { Billing } from './billing/start-billing.ts';
import type { RunningDerivation } from './derive/start-derivation.ts';
import type { ChainProgress } from './ingest/start-ingest.ts';
import type { Store } from './store/open-store.ts';

const TIMEOUT_MS = 1_500;

/** A block behind the head is as late as it is old; one whose time is not known says nothing. */
const lagOf = (head: number, indexed: IndexedHead, nowUnixMs: number): number | null => {
  if (indexed.number >= head) return 0;
  if (indexed.timeUnixSeconds === 0) return null;
  return Math.max(0, Math.round(nowUnixMs / 1_000) - indexed.timeUnixSeconds);
};

/** Finality moves in steps of minutes on EVM chains; blocks themselves come every few seconds at most. */
const STILL_SECONDS_MAX = { byBlock: 120, byFinality: 1_200 };

const stillnessOf = (followed: ChainProgress | undefined, nowUnixMs: number) => {
  if (!followed?.isLive) return { stillSeconds: null, isStalled: false };
  const stillSeconds = Math.max(0, Math.round((nowUnixMs - followed.movedUnixMs) / 1_000));
  const inSteps = findChain(followed.chain)?.family === 'evm' && followed.finality !== 'latest';
  const limit = inSteps ? STILL_SECONDS_MAX.byFinality : STILL_SECONDS_MAX.byBlock;
  return { stillSeconds, isStalled: stillSeconds > limit };
};

/** What `/status` asks: each component is asked to do a little of its work, not whether it thinks it is well. */
export const createStatusProbes = (dependencies: {
  store: Store;
  /** null in a process that does not touch the tables. */
  warehouse: Pick<Warehouse, 'reader'> | null;
  /** Chains that are followed now; those with blocks only from files are listed too. */
  progress: readonly ChainProgress[];
  chains: readonly string[];
  clock: Clock;
  /** null in a process without accounts and ledger. */
  billing: Pick<Billing, 'accounts' | 'ledger'> | null;
  /** null where calls are not paid for one by one. */
  payments: Pick<RunningPayments, 'isReachable'> | null;
  /** null in a process that derives nothing. */
  derivation: Pick<RunningDerivation, 'isFailing'> | null;
}): StatusProbes => {
  const { store, warehouse, progress, chains, clock, billing, payments, derivation } = dependencies;

  const chainStatus = async (chain: string): Promise<ChainStatus | null> => {
    const limits = { signal: AbortSignal.timeout(TIMEOUT_MS), timeoutMs: TIMEOUT_MS };
    const indexed = warehouse && (await readIndexedHead(warehouse.reader, { chain, ...limits }));
    const followed = progress.find((p) => p.chain === chain);
    if (!indexed && !followed) return null;
    const head = followed ? followed.head : (indexed?.number ?? null);
    const lagSeconds = head === null || !indexed ? null : lagOf(head, indexed, clock.nowUnixMs());
    return {
      chain,
      head,
      indexed: indexed?.number ?? null,
      lagSeconds,
      finality: followed?.finality ?? 'finalized',
      ...stillnessOf(followed, clock.nowUnixMs()),
      trouble: followed?.trouble ?? null,
      traces: followed?.traces ?? null,
      gaps: followed?.gaps ?? null,
    };
  };

  const askLog = askOnce(() => store.log.ranges('transfers.head'), TIMEOUT_MS);

  return {
    eventLog: async () => ((await askLog()) === null ? 'down' : 'ok'),
    warehouse: async () => {
      if (!warehouse) return 'off';
      const { success } = await warehouse.reader.ping({ select: true });
      return success ? 'ok' : 'down';
    },
    ledger: async () => {
      if (!billing) return 'off';
      return billing.ledger.isReady() && billing.accounts.isFollowing() ? 'ok' : 'down';
    },
    derivation: async () => (derivation ? (derivation.isFailing() ? 'degraded' : 'ok') : 'off'),
    facilitator: async () => (payments ? ((await payments.isReachable()) ? 'ok' : 'down') : 'off'),
    chains: async () => (await Promise.all(chains.map(chainStatus))).filter((status) => status !== null),
  };
};

import type { ChainStatus, StatusProbes } from '../api/status/status-probes.ts';
import type { Clock } from '../platform/clock.ts';
import type { Warehouse } from '../platform/warehouse-engine/warehouse.ts';
import { type IndexedHead, readIndexedHead } from '../warehouse/read/indexed-head.ts';
import type { Store } from './open-store.ts';
import type { ChainProgress } from './start-ingest.ts';

const TIMEOUT_MS = 1_500;

/** A block behind the head is as late as it is old; one whose time is not known says nothing. */
const lagOf = (head: number, indexed: IndexedHead, nowUnixMs: number): number | null => {
  if (indexed.number >= head) return 0;
  if (indexed.timeUnixSeconds === 0) return null;
  return Math.max(0, Math.round(nowUnixMs / 1_000) - indexed.timeUnixSeconds);
};

/** What `/status` asks: each component is asked to do a little of its work, not whether it thinks it is well. */
export const createStatusProbes = (dependencies: {
  store: Store;
  warehouse: Pick<Warehouse, 'reader'>;
  /** Chains that are followed now; those with blocks only from files are listed too. */
  progress: readonly ChainProgress[];
  chains: readonly string[];
  clock: Clock;
}): StatusProbes => {
  const { store, warehouse, progress, chains, clock } = dependencies;

  const chainStatus = async (chain: string): Promise<ChainStatus | null> => {
    const limits = { signal: AbortSignal.timeout(TIMEOUT_MS), timeoutMs: TIMEOUT_MS };
    const indexed = await readIndexedHead(warehouse.reader, { chain, ...limits });
    const followed = progress.find((p) => p.chain === chain);
    if (!indexed && !followed) return null;
    const head = followed ? followed.head : (indexed?.number ?? null);
    const lagSeconds = head === null || !indexed ? null : lagOf(head, indexed, clock.nowUnixMs());
    return { chain, head, indexed: indexed?.number ?? null, lagSeconds, finality: 'confirmed' };
  };

  return {
    eventLog: async () => {
      await store.log.ranges('transfers.head');
      return 'ok';
    },
    warehouse: async () => {
      const { success } = await warehouse.reader.ping({ select: true });
      return success ? 'ok' : 'down';
    },
    ledger: async () => 'off',
    facilitator: async () => 'off',
    chains: async () => (await Promise.all(chains.map(chainStatus))).filter((status) => status !== null),
  };
};

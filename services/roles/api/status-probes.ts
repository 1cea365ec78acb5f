import type { ChainStatus, ComponentState, StatusProbes } from '../../api/status/status-probes.ts';
import type { RunningPayments } from '../../payments/start-payments.ts';
import { askOnce } from '../../platform/ask-once.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LiveChain } from '../../platform/config/chains.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { readIndexedHead } from '../../warehouse/read/blocks/indexed-head.ts';
import type { Billing } from '../billing/start-billing.ts';
import type { RunningDerivation } from '../derive/start-derivation.ts';
import type { ChainProgress } from '../ingest/start-ingest.ts';
import type { RunningSink } from '../sink/told-waits.ts';
import type { Store } from '../store/open-store.ts';
import { createChainStatus } from './chain-status.ts';

const TIMEOUT_MS = 1_500;
/** An engine is back after a second or two, which nobody who asks now and then would see. */
const ENDED_MS = 60_000;

/** `degraded`: the log answers, but the registry does not give a schema, so reading stops. */
export const probeLog = (log: Pick<Store['log'], 'ranges' | 'waitsForSchema'>): StatusProbes['eventLog'] => {
  const ask = askOnce(() => log.ranges('transfers.head'), TIMEOUT_MS);
  return async () => {
    if ((await ask()) === null) return 'down';
    return log.waitsForSchema() ? 'degraded' : 'ok';
  };
};

export const probeTables = async ({ reader }: Pick<Warehouse, 'reader'>): Promise<ComponentState> => {
  const { success } = await reader.ping({ select: true, abort_signal: AbortSignal.timeout(TIMEOUT_MS) });
  return success ? 'ok' : 'down';
};

/** The probes of `/status`. Each asks a component to do a little work. */
export const createStatusProbes = (dependencies: {
  store: Store;
  /** null in a process without tables. */
  warehouse: Pick<Warehouse, 'reader' | 'lastEndUnixMs'> | null;
  /** null in a process that does not fill them. */
  sink: Pick<RunningSink, 'waitsSinceUnixMs'> | null;
  /** Chains that this process follows. */
  progress: readonly ChainProgress[];
  /** Chains that any process follows. */
  configured: readonly Pick<LiveChain, 'name' | 'commitment'>[];
  /** Open gaps by chain, if this process audits. */
  gaps: ReadonlyMap<string, number>;
  /** All chains, including those that came from files only. */
  chains: readonly string[];
  clock: Clock;
  /** null in a process without accounts and ledger. */
  billing: Pick<Billing, 'accounts' | 'ledger'> | null;
  /** null if calls cannot be paid by x402. */
  payments: Pick<RunningPayments, 'isReachable'> | null;
  /** null in a process that derives nothing. */
  derivation: Pick<RunningDerivation, 'isFailing'> | null;
}): StatusProbes => {
  const { store, warehouse, sink, chains, clock, billing, payments, derivation } = dependencies;

  const judge = createChainStatus(dependencies);
  const chainStatus = async (chain: string): Promise<ChainStatus | null> => {
    const limits = { signal: AbortSignal.timeout(TIMEOUT_MS), timeoutMs: TIMEOUT_MS };
    const indexed = warehouse && (await readIndexedHead(warehouse.reader, { chain, ...limits }));
    return judge(chain, indexed, warehouse !== null);
  };

  const insertsWaitSinceUnixMs = () => sink?.waitsSinceUnixMs() ?? null;
  return {
    insertsWaitSinceUnixMs,
    eventLog: probeLog(store.log),
    warehouse: async () => {
      if (!warehouse) return 'off';
      const state = await probeTables(warehouse);
      const endUnixMs = warehouse.lastEndUnixMs?.() ?? null;
      const hasEnded = endUnixMs !== null && clock.nowUnixMs() < endUnixMs + ENDED_MS;
      return state === 'ok' && (hasEnded || insertsWaitSinceUnixMs() !== null) ? 'degraded' : state;
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

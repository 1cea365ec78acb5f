import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { keepFresh } from '../keep-fresh.ts';
import type { ChainStatus, ComponentState, HistoryStatus, StartWait, StatusProbes } from './status-probes.ts';

export type Status = {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly timeUnixSeconds: number;
  readonly components: {
    readonly eventLog: ComponentState;
    readonly warehouse: ComponentState;
    readonly ledger: ComponentState;
    readonly derivation: ComponentState;
    readonly facilitator: ComponentState;
    readonly chains: readonly ChainStatus[];
  };
  /** Since when the tables take nothing that the log holds for them; null: they take it. */
  readonly insertsWaitSinceUnixMs: number | null;
  /** null where no chain is followed, and until its sources were probed. */
  readonly histories: readonly HistoryStatus[] | null;
  /** null once the process has started. */
  readonly waits: readonly StartWait[] | null;
};

/** A component that does not report within this time counts as down. */
const PROBE_TIMEOUT_MS = 2_000;
/** Anybody may ask, so frequent requests must not load the engines. */
const FRESH_MS = 1_000;
/** Answers about the past stay right, but a lag above this is reported. */
const LAG_DEGRADED_SECONDS = 300;

export type StatusReader = () => Promise<Status>;

/** Runs all probes at once. The answer serves everybody who asks within a second. */
export const createStatusReader = (probes: StatusProbes, clock: Clock): StatusReader =>
  keepFresh(() => readStatus(probes, clock.nowUnixMs()), clock, FRESH_MS);

const DOWN = 'down' as const;

const readStatus = async (probes: StatusProbes, nowUnixMs: number): Promise<Status> => {
  const [eventLog, warehouse, ledger, derivation, facilitator, chains] = await Promise.all([
    ask(probes.eventLog, DOWN),
    ask(probes.warehouse, DOWN),
    ask(probes.ledger, DOWN),
    ask(probes.derivation, DOWN),
    ask(probes.facilitator, DOWN),
    ask(probes.chains, null),
  ]);
  const components = { eventLog, warehouse, ledger, derivation, facilitator, chains: chains ?? [] };
  const waits = probes.waits?.() ?? null;
  const status = waits ? DOWN : judge(components, chains === null);
  const insertsWaitSinceUnixMs = probes.insertsWaitSinceUnixMs?.() ?? null;
  return {
    status,
    timeUnixSeconds: Math.floor(nowUnixMs / 1_000),
    components,
    insertsWaitSinceUnixMs,
    histories: probes.histories?.() ?? null,
    waits,
  };
};

const ask = async <T, F>(probe: () => Promise<T>, otherwise: F): Promise<T | F> => {
  const timeout = new AbortController();
  try {
    const late = wait(PROBE_TIMEOUT_MS, otherwise, { signal: timeout.signal });
    return await Promise.race([probe().catch(() => otherwise), late]);
  } finally {
    timeout.abort();
  }
};

/** Only missing tables make the service down; other failures degrade it. */
const judge = (components: Status['components'], chainsUnknown: boolean): Status['status'] => {
  const { eventLog, warehouse, ledger, derivation, facilitator, chains } = components;
  if (warehouse === 'down') return 'down';
  const troubled = [eventLog, warehouse, ledger, derivation, facilitator].some(
    (state) => state === 'down' || state === 'degraded',
  );
  const behind = chains.some(
    ({ lagSeconds, isStalled, trouble }) =>
      // Ingestion reports trouble only if no node of the chain gave what it needs.
      isStalled || trouble !== null || (lagSeconds !== null && lagSeconds > LAG_DEGRADED_SECONDS),
  );
  return troubled || behind || chainsUnknown ? 'degraded' : 'ok';
};

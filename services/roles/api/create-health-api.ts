import type { AccountArea } from '../../api/account/sign-in.ts';
import { createOperationsApi, createStatusApi } from '../../api/create-operations-api.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import type { RunningPayments } from '../../payments/start-payments.ts';
import { systemClock } from '../../platform/clock.ts';
import { programVersion } from '../../platform/program-version.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import type { Billing } from '../billing/start-billing.ts';
import type { RunningDerivation } from '../derive/start-derivation.ts';
import type { ChainNodes } from '../ingest/open-source.ts';
import type { RunningIngest } from '../ingest/start-ingest.ts';
import type { ServiceProcess } from '../service-process.ts';
import type { RunningSinks } from '../sink/run-sinks.ts';
import type { Store } from '../store/open-store.ts';
import { createStartProbes, type Opened } from './start-probes.ts';
import { createStatusProbes } from './status-probes.ts';
import { watchHistories } from './watch-histories.ts';

type Application = ReturnType<typeof createOperationsApi>;

/** The answers for everybody and for operators. */
export type ServiceApi = { readonly api: Application; readonly operations: Application };

/** What runs beside the HTTP side; null if no role needs it. */
export type ServiceParts = {
  readonly store: Store;
  readonly warehouse: Warehouse | null;
  readonly sinks: RunningSinks | null;
  readonly ingest: RunningIngest | null;
  readonly billing: Billing | null;
  readonly accountArea: AccountArea | null;
  readonly payments: RunningPayments | null;
  readonly derivation: RunningDerivation | null;
  /** Nodes that may be asked for balances. */
  readonly nodes: readonly Pick<ChainNodes, 'name' | 'rpcUrls'>[];
};

/** The answers until then: progress of the start. */
export const createStartApi = (service: ServiceProcess, opened: Opened): ServiceApi => {
  const shared = { ...operationsOf(service), probes: createStartProbes(service, opened) };
  return { api: createStatusApi(shared), operations: createOperationsApi(shared) };
};

/** The answers of a process without the role `api`, once all its roles run. */
export const createHealthApi = (service: ServiceProcess, parts: ServiceParts): ServiceApi => {
  const shared = healthOf(service, parts);
  return { api: createStatusApi(shared), operations: createOperationsApi(shared) };
};

/** What every process tells of itself. */
export const healthOf = (service: ServiceProcess, parts: ServiceParts) => ({
  ...operationsOf(service),
  probes: {
    ...createStatusProbes({
      ...parts,
      progress: parts.ingest?.progress ?? [],
      configured: service.config.chains,
      gaps: parts.sinks?.audit.gaps ?? new Map(),
      sink: parts.sinks,
      chains: CHAINS.map(({ name }) => name),
      clock: systemClock,
    }),
    histories: watchHistories(service.config.chains, service.logger),
  },
});

const operationsOf = ({ config, logger, metrics, isClosing }: ServiceProcess) => ({
  ...{ logger, metrics, isClosing },
  origins: config.origins,
  clock: systemClock,
  version: programVersion(),
});

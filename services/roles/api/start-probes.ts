import type { ComponentState, StartPart, StatusProbes } from '../../api/status/status-probes.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { decidesCredits } from '../billing/run-billing.ts';
import type { ServiceProcess } from '../service-process.ts';
import { touchesTables } from '../store/open-service-store.ts';
import type { Store } from '../store/open-store.ts';
import { probeLog, probeTables } from './status-probes.ts';

/** The parts of a starting process that are open already. */
export type Opened = {
  readonly log: Store['log'] | null;
  readonly warehouse: Pick<Warehouse, 'reader'> | null;
};

type Starting = Pick<ServiceProcess, 'config' | 'runs' | 'waits'>;

/**
 * The probes of a starting process. Open parts are probed as usual; of the others it is known whether they answer.
 */
export const createStartProbes = (service: Starting, { log, warehouse }: Opened): StatusProbes => {
  const { config, runs, waits } = service;
  const unopened =
    (...parts: StartPart[]) =>
    async (): Promise<ComponentState> =>
      waits().some(({ part, isAway }) => isAway && parts.includes(part)) ? 'down' : 'starting';
  const startingWhere = (isPart: boolean) => async (): Promise<ComponentState> =>
    isPart ? 'starting' : 'off';
  const tables = warehouse ? () => probeTables(warehouse) : unopened('warehouse');
  const billing = decidesCredits(service);
  return {
    eventLog: log ? probeLog(log) : unopened('event_log', 'schema_registry'),
    warehouse: touchesTables(service) ? tables : startingWhere(false),
    ledger: startingWhere(billing),
    derivation: startingWhere(runs('derive')),
    facilitator: startingWhere(billing && config.x402 !== null),
    // The list of chains is known once tables and nodes are open.
    chains: async () => [],
    waits,
  };
};

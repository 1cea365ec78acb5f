import { isLoopbackAddress } from '../api/caller-address.ts';
import type { Config } from '../platform/config/config.ts';
import { createLogger } from '../platform/logger.ts';
import { createShutdown } from '../platform/shutdown.ts';
import type { Warehouse } from '../platform/warehouse-engine/warehouse.ts';
import { runHttp, type ServiceHttp } from './api/run-http.ts';
import { isOpen, runBilling, runPayments } from './billing/run-billing.ts';
import { followedBy, isIngesting } from './ingest/followed-chains.ts';
import type { ChainToFollow } from './ingest/start-ingest.ts';
import { CLOSE, createProcess, type Role, type ServiceProcess } from './service-process.ts';
import { openServiceStore, openServiceTables } from './store/open-service-store.ts';
import type { Store } from './store/open-store.ts';
import { removeServerAddress, writeServerAddress } from './store/server-address.ts';
import { welcome } from './world/welcome.ts';
import { untilWorldIngested } from './world/world-ingested.ts';

/**
 * Starts these roles and prints the address; resolves when they run. The process ends in order when told to.
 * Throws what prevents the start.
 */
export const startService = async (config: Config, roles: readonly Role[]): Promise<void> => {
  const logger = createLogger({ level: config.logLevel });
  const shutdown = createShutdown({ logger, host: process });
  try {
    await openAll(createProcess(config, roles, logger, shutdown));
  } catch (error) {
    // Stopped during the start: closing what is open ends the process.
    if (shutdown.isClosing()) return;
    // Open parts would keep a failed process alive.
    await shutdown.run('the start failed');
    throw error;
  }
};

const openAll = async (service: ServiceProcess): Promise<void> => {
  const http = await runHttp(service);
  service.logger.info('opening the event log');
  const store = await openServiceStore(service);
  http.has({ log: store.log, warehouse: null });
  service.logger.info('opening the tables');
  const warehouse = await openServiceTables(service, store);
  http.has({ log: store.log, warehouse });
  const running = await service.waitFor('event_log', () => runRoles(service, http, store, warehouse));
  if (service.runs('api')) tellAddress(service, http, store);
  await untilFilled(service, store, running);
  if (!service.isClosing()) process.stdout.write(greetingOf(service, http.url, store, running));
};

/** Most roles first read what the log holds. Each is loaded where it runs: half of the time of a start is modules. */
const runRoles = async (
  service: ServiceProcess,
  http: ServiceHttp,
  store: Store,
  warehouse: Warehouse | null,
) => {
  const { runs } = service;
  const sinks =
    warehouse && runs('sink')
      ? await (await import('./sink/run-sinks.ts')).runSinks(service, store, warehouse)
      : null;
  const { world, chains } = await chainsOf(service, store);
  const derivation =
    warehouse && runs('derive')
      ? (await import('./derive/run-derivation.ts')).runDerivation(service, store, warehouse, chains)
      : null;
  const followed = followedBy(service, chains);
  const ingest = isIngesting(service)
    ? (await import('./ingest/run-ingest.ts')).runIngest(service, store, followed)
    : null;
  const billing = await runBilling(service, store);
  if (warehouse && billing && runs('retrace'))
    (await import('./retrace/run-retrace.ts')).runRetrace(service, store, warehouse, billing);
  const payments = await runPayments(service, store, billing);
  const accountArea = runs('api')
    ? await (await import('./billing/open-account-area.ts')).openAccountArea(service, store, billing)
    : null;
  const parts = { store, warehouse, sinks, ingest, billing, payments, accountArea, derivation };
  await http.serves({ ...parts, nodes: chains });
  return { world, ingest, billing, payments };
};

type RunningRoles = Awaited<ReturnType<typeof runRoles>>;

/** Commands with this data folder find this server. */
const tellAddress = ({ closing }: ServiceProcess, { url }: ServiceHttp, { folder }: Store): void => {
  writeServerAddress(folder, url);
  closing('address', CLOSE.api, async () => removeServerAddress(folder));
};

/** The printed examples need the whole generated world. */
const untilFilled = async (
  { config, logger, runs, isClosing }: ServiceProcess,
  store: Store,
  { world, ingest }: RunningRoles,
): Promise<void> => {
  if (!world || !ingest || !runs('api')) return;
  const { worldSeed: seed } = config;
  logger.info({ seed }, 'opening the generated world');
  const onMissing = (): void =>
    logger.info({ seed }, 'generating a world and ingesting it; this takes some seconds');
  const onLag = (records: number): void => logger.info({ records }, 'records are not in the tables yet');
  await untilWorldIngested({ store, world, progress: ingest.progress, isClosing, onMissing, onLag });
};

const greetingOf = (
  { config, logger, runs }: ServiceProcess,
  url: string,
  { folder, server }: Store,
  { world, billing, payments }: RunningRoles,
): string => {
  if (!billing || !runs('api')) return `\nready ${url}\n`;
  const hasAccounts = billing.accounts.directory.hasAccounts();
  const isLocal = config.host === 'localhost' || isLoopbackAddress(config.host);
  if (!isLocal && isOpen(billing, payments))
    logger.warn(
      { host: config.host },
      'no account is open: anybody who reaches this address may call without a key',
    );
  const access = { hasAccounts, isLocal, takesPayments: payments !== null };
  return welcome({ url, folder, world, hasSql: server === null, ...access });
};

/** Those of a generated world where this process runs it; else the configured ones. */
const chainsOf = async (service: ServiceProcess, store: Store) => {
  if (isIngesting(service) && store.name !== 'chain') {
    const { chainsOfWorld, runWorld } = await import('./world/run-world.ts');
    const world = await runWorld(service, store);
    return { world, chains: chainsOfWorld(world) };
  }
  const chains: ChainToFollow[] = service.config.chains.map((chain) => ({ ...chain, isLive: true }));
  return { world: null, chains };
};

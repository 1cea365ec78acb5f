import type { Config } from '../platform/config/config.ts';
import { createLogger } from '../platform/logger.ts';
import { createShutdown } from '../platform/shutdown.ts';
import { runHttp } from './api/run-http.ts';
import { openAccountArea } from './billing/open-account-area.ts';
import { runBilling, runPayments } from './billing/run-billing.ts';
import { runDerivation } from './derive/run-derivation.ts';
import { followedBy, isIngesting } from './ingest/followed-chains.ts';
import { runIngest } from './ingest/run-ingest.ts';
import type { ChainToFollow } from './ingest/start-ingest.ts';
import { createProcess, type Role, type ServiceProcess } from './service-process.ts';
import { runSinks } from './sink/run-sinks.ts';
import { openServiceStore, openServiceTables } from './store/open-service-store.ts';
import { chainsOfWorld, runWorld } from './world/run-world.ts';
import { welcome } from './world/welcome.ts';
import { untilWorldIngested } from './world/world-ingested.ts';

/**
 * Starts these roles in this process and prints where it answers; resolves when they run. The process ends in order
 * when it is told to stop. Throws what made the start impossible.
 */
export const startService = async (config: Config, roles: readonly Role[]): Promise<void> => {
  const logger = createLogger({ level: config.logLevel });
  const shutdown = createShutdown({ logger, host: process });
  try {
    await openAll(createProcess(config, roles, logger, shutdown));
  } catch (error) {
    // Told to stop while it started: what was open is being closed, and the end of that ends the process.
    if (!shutdown.isClosing()) throw error;
  }
};

const openAll = async (service: ServiceProcess): Promise<void> => {
  const { config, logger, runs, isClosing } = service;
  const store = await openServiceStore(service);
  const warehouse = await openServiceTables(service, store);
  const sinks = warehouse && runs('sink') ? await runSinks(service, store, warehouse) : null;
  const world = isIngesting(service) ? await runWorld(service, store) : null;
  const chains = world ? chainsOfWorld(world) : configuredChains(config);
  const derivation = warehouse && runs('derive') ? runDerivation(service, store, warehouse, chains) : null;
  const followed = followedBy(service, chains);
  const ingest = isIngesting(service) ? runIngest(service, store, followed) : null;
  const billing = await runBilling(service, store);
  const payments = await runPayments(service, store, billing);
  const accountArea = await openAccountArea(service, store, billing);
  const parts = { store, warehouse, sinks, ingest, billing, payments, accountArea, derivation };
  const url = await runHttp(service, parts);
  if (world && ingest && runs('api')) {
    logger.info({ seed: config.worldSeed }, 'generating a world and reading it in; this takes some seconds');
    await untilWorldIngested({ store, world, progress: ingest.progress, isClosing });
    if (isClosing()) return;
  }
  const greeting =
    billing && runs('api')
      ? welcome({
          url,
          folder: store.folder,
          world,
          hasAccounts: billing.accounts.directory.hasAccounts(),
          takesPayments: payments !== null,
        })
      : `\nready ${url}\n`;
  process.stdout.write(greeting);
};

const configuredChains = ({ chains }: Config): ChainToFollow[] =>
  chains.map((chain) => ({ ...chain, isLive: true }));

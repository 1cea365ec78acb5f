import { readFileSync } from 'node:fs';
import { createApi } from './api/create-api.ts';
import { serve } from './api/serve.ts';
import { CHAINS } from './investigate/model/chain.ts';
import { systemClock } from './platform/clock.ts';
import { type Config, ConfigError, loadConfig } from './platform/config.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { createMetrics } from './platform/metrics.ts';
import { createShutdown, type Shutdown } from './platform/shutdown.ts';
import { startEmbeddedWarehouse } from './platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { chooseStore } from './roles/choose-store.ts';
import { DATABASE } from './roles/database.ts';
import { loadCuratedLabels } from './roles/load-curated-labels.ts';
import { openStore } from './roles/open-store.ts';
import { refuseUnfinishedRebuild } from './roles/rebuild-tables.ts';
import { startAudit } from './roles/start-audit.ts';
import { startBilling } from './roles/start-billing.ts';
import { type ChainToFollow, startIngest } from './roles/start-ingest.ts';
import { startLabels } from './roles/start-labels.ts';
import { SINK_GROUP, startSink, TRANSFER_TOPICS } from './roles/start-sink.ts';
import { type RunningWorld, startWorld } from './roles/start-world.ts';
import { createStatusProbes } from './roles/status-probes.ts';
import { untilWorldIngested } from './roles/world-ingested.ts';
import { migrate } from './warehouse/migrate.ts';
import { createTransferReader } from './warehouse/read/create-transfer-reader.ts';
import { readLag } from './warehouse/sink/lag.ts';
import { welcome } from './welcome.ts';

// Intake first, then what is under way, engines last: nothing that was acknowledged is lost.
const CLOSE = { api: 1, ingest: 2, billing: 2, sink: 3, warehouse: 4, log: 5 };
const LOOK_FOR_PARENT_MS = 500;
const CLOSE_MS = { grace: 5_000, step: 30_000 };

const readVersion = (): string => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};

const chainsOf = (config: Config, world: RunningWorld | null): ChainToFollow[] =>
  world
    ? Object.entries(world.ranges).map(([name, { first }]) => ({
        name,
        rpcUrls: [`${world.url}/${name}`],
        websocketUrl: null,
        commitment: 'finalized',
        start: first,
        isLive: false,
      }))
    : config.chains.map((chain) => ({ ...chain, isLive: true }));

/** npm does not always pass on the signal that ends it; a service nobody can find would hold the tables. */
const stopWithNpm = (stop: () => void): void => {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    stop();
  }, LOOK_FOR_PARENT_MS).unref();
};

const start = async (config: Config): Promise<void> => {
  const logger = createLogger({ level: config.logLevel });
  const shutdown = createShutdown({ logger, host: process });
  try {
    await openAll(config, logger, shutdown);
  } catch (error) {
    // Told to stop while it started: what was open is being closed, and the end of that ends the process.
    if (!shutdown.isClosing()) throw error;
  }
};

const openAll = async (config: Config, logger: Logger, shutdown: Shutdown): Promise<void> => {
  const metrics = createMetrics();
  const closing = (name: string, order: number, run: () => Promise<void>): void =>
    shutdown.register({ name, order, timeoutMs: CLOSE_MS.step, run });
  const fail = (err: unknown): void => {
    if (shutdown.isClosing()) return;
    logger.fatal({ err }, 'cannot go on');
    void shutdown.run('failure').then(() => process.exit(1));
  };

  stopWithNpm(() => void shutdown.run('npm ended').then(() => process.exit(0)));

  const name = chooseStore(config);
  const store = await openStore({
    dataFolder: config.dataFolder,
    name,
    maxQueuedBytes: config.logQueueBytesMax,
    onError: (err) => logger.warn({ err }, 'the event log'),
  });
  closing('event log', CLOSE.log, () => store.close());
  refuseUnfinishedRebuild(store);
  metrics.watchLog(() => store.log.stats());
  metrics.watchSinkLag(() => readLag(store.log, SINK_GROUP, TRANSFER_TOPICS));

  const warehouse = await startEmbeddedWarehouse({
    folder: store.warehouseFolder,
    database: DATABASE,
    logger,
  });
  closing('warehouse', CLOSE.warehouse, () => warehouse.close());
  await migrate(warehouse);

  const sink = startSink({ store, warehouse, logger, metrics, batchBytesMax: config.sinkBatchBytesMax });
  closing('sink', CLOSE.sink, () => sink.stop());
  sink.ended.catch(fail);
  const labels = startLabels({ store, warehouse, logger });
  closing('labels', CLOSE.sink, () => labels.stop());
  labels.ended.catch(fail);
  await loadCuratedLabels(store, systemClock, new AbortController().signal);

  const world =
    name !== 'chain' ? await startWorld({ seed: config.worldSeed, truthFolder: store.folder }) : null;
  const chains = chainsOf(config, world);
  const ingest = startIngest({ store, chains, logger, metrics, clock: systemClock });
  const audit = startAudit({ store, warehouse, chains, progress: ingest.progress, logger });
  closing('ingest', CLOSE.ingest, async () => {
    await Promise.all([ingest.stop(), audit.stop()]);
    await world?.stop();
  });

  const billing = await startBilling(store, (err) => logger.error({ err }, 'accounts or ledger'));
  closing('billing', CLOSE.billing, () => billing.stop());
  // The first account closes the doors to everybody else.
  const isOpen = (): boolean => !billing.accounts.directory.hasAccounts();

  const names = CHAINS.map((chain) => chain.name);
  const probes = createStatusProbes({
    store,
    warehouse,
    progress: ingest.progress,
    chains: names,
    clock: systemClock,
    billing,
  });
  const api = createApi({
    reader: createTransferReader(warehouse.reader),
    probes,
    logger,
    metrics,
    clock: systemClock,
    chains: names,
    version: readVersion(),
    isClosing: shutdown.isClosing,
    billing: { ledger: billing.ledger, directory: billing.accounts.directory, isOpen },
  });
  const listening = await serve(api, config);
  closing('api', CLOSE.api, () => listening.close({ graceMs: CLOSE_MS.grace }));

  if (world) {
    logger.info({ seed: config.worldSeed }, 'generating a world and reading it in; this takes some seconds');
    await untilWorldIngested({ store, world, progress: ingest.progress, isClosing: shutdown.isClosing });
    if (shutdown.isClosing()) return;
  }
  process.stdout.write(welcome({ url: listening.url, folder: store.folder, world, isOpen: isOpen() }));
};

try {
  await start(loadConfig(process.env));
} catch (error) {
  // Before anything runs there is nothing to close in order; what to do about it is in the message.
  const known = error instanceof ConfigError || (error instanceof Error && 'code' in error);
  process.stderr.write(
    `spoor: ${known ? (error as Error).message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}

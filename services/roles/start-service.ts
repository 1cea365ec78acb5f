import { readFileSync } from 'node:fs';
import type { AccountArea } from '../api/account/sign-in.ts';
import { createApi } from '../api/create-api.ts';
import { createOperationsApi } from '../api/create-operations-api.ts';
import { serve } from '../api/serve.ts';
import type { Histories } from '../investigate/follow/know-wallet.ts';
import { CHAINS } from '../investigate/model/chain.ts';
import { type RunningPayments, startPayments } from '../payments/start-payments.ts';
import { systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import { createLogger } from '../platform/logger.ts';
import { createShutdown } from '../platform/shutdown.ts';
import type { Warehouse } from '../platform/warehouse-engine/warehouse.ts';
import { createHttpPriceSource } from '../prices/price-source.ts';
import { readActiveParts } from '../warehouse/read/active-parts.ts';
import { createAssetReader } from '../warehouse/read/assets.ts';
import { createTraceReader } from '../warehouse/read/create-trace-reader.ts';
import { createTransferReader } from '../warehouse/read/create-transfer-reader.ts';
import { createPriceReader } from '../warehouse/read/price.ts';
import { readLag } from '../warehouse/sink/lag.ts';
import { openAccountArea } from './billing/open-account-area.ts';
import { openIdempotency } from './billing/open-idempotency.ts';
import { type Billing, startBilling } from './billing/start-billing.ts';
import { countReservations, countSettlements, timeQuestions } from './count-work.ts';
import { type RunningDerivation, startDerivation } from './derive/start-derivation.ts';
import { startDescribing } from './derive/start-describing.ts';
import { startPriceSource } from './derive/start-price-source.ts';
import { createAskForWallet } from './ingest/ask-for-wallet.ts';
import { followHistories } from './ingest/follow-histories.ts';
import { followedBy, isIngesting, writerOf } from './ingest/followed-chains.ts';
import { type RunningAudit, startAudit } from './ingest/start-audit.ts';
import { type ChainToFollow, type RunningIngest, startIngest } from './ingest/start-ingest.ts';
import { startWallets } from './ingest/start-wallets.ts';
import { CLOSE, CLOSE_MS, createProcess, type Role, type ServiceProcess } from './service-process.ts';
import { loadCuratedLabels } from './sink/load-curated-labels.ts';
import { readNewestBlocks } from './sink/newest-blocks.ts';
import { refuseUnfinishedRebuild } from './sink/rebuild-tables.ts';
import { startLabels } from './sink/start-labels.ts';
import { startLedgerSink } from './sink/start-ledger-sink.ts';
import { startReferences } from './sink/start-references.ts';
import { SINK_GROUP, startSink, TRANSFER_TOPICS } from './sink/start-sink.ts';
import { createStatusProbes } from './status-probes.ts';
import { applyStoreTopics } from './store/apply-store-topics.ts';
import { chooseStore } from './store/choose-store.ts';
import { openSecret } from './store/open-secret.ts';
import { openStore, placesOf, type Store } from './store/open-store.ts';
import { openTables } from './store/open-tables.ts';
import { loadWorldLabels } from './world/load-world-labels.ts';
import { type RunningWorld, startWorld } from './world/start-world.ts';
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

const readVersion = (): string => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};

const openAll = async (service: ServiceProcess): Promise<void> => {
  const { config, logger } = service;
  const store = await openServiceStore(service);
  const usesTables = (['sink', 'derive', 'api'] as const).some(service.runs);
  const warehouse = usesTables ? await openWarehouse(service, store) : null;
  const audit = warehouse && service.runs('sink') ? await runSink(service, store, warehouse) : null;
  const world =
    store.name !== 'chain' && isIngesting(service)
      ? await startWorld({ seed: config.worldSeed, truthFolder: store.folder })
      : null;
  if (world) await loadWorldLabels(store, world, systemClock, new AbortController().signal);
  const derivation =
    warehouse && service.runs('derive') ? runDerivation(service, store, warehouse, world) : null;
  const ingest = isIngesting(service) ? runIngest(service, store, world) : null;
  const bills = service.runs('ledger') || service.runs('api');
  const billing = bills ? await runBilling(service, store) : null;
  const payments = billing ? await runPayments(service, store, billing) : null;
  const accountArea = await openAccountArea(service, store, billing);
  const parts = { store, warehouse, audit, ingest, billing, payments, accountArea, derivation };
  const url = await runHttp(service, parts);
  if (world && ingest && service.runs('api')) {
    logger.info({ seed: config.worldSeed }, 'generating a world and reading it in; this takes some seconds');
    await untilWorldIngested({ store, world, progress: ingest.progress, isClosing: service.isClosing });
    if (service.isClosing()) return;
  }
  process.stdout.write(
    billing && service.runs('api')
      ? welcome({
          url,
          folder: store.folder,
          world,
          hasAccounts: !isOpen(billing),
          takesPayments: payments !== null,
        })
      : `\nready ${url}\n`,
  );
};

const openServiceStore = async ({ config, logger, metrics, ...service }: ServiceProcess): Promise<Store> => {
  const name = chooseStore(config);
  const { kafka } = config;
  // A generated world brings its topics along; those of real chains are declared once, by whoever may.
  if (kafka && name !== 'chain') await applyStoreTopics(kafka, name);
  const store = await openStore({
    ...placesOf(config),
    name,
    // Two processes that follow the same chains would write every block twice.
    ...(isIngesting(service) ? { writer: writerOf(service, config.chains) } : {}),
    onError: (err) => logger.warn({ err }, 'the event log'),
  });
  service.closing('event log', CLOSE.log, () => store.close());
  refuseUnfinishedRebuild(store);
  metrics.watchLog(() => store.log.stats());
  metrics.watchSinkLag(() => readLag(store.log, SINK_GROUP, TRANSFER_TOPICS));
  return store;
};

const openWarehouse = async (service: ServiceProcess, store: Store): Promise<Warehouse> => {
  const warehouse = await openTables({
    store,
    owns: service.runs('sink'),
    logger: service.logger,
    onLost: service.fail,
  });
  service.closing('warehouse', CLOSE.warehouse, () => warehouse.close());
  timeQuestions(warehouse.reader, service.metrics);
  if (service.runs('sink')) {
    service.metrics.watchParts(() => readActiveParts(warehouse.writer));
    service.metrics.watchNewestBlocks(() => readNewestBlocks(warehouse, service.config.chains));
  }
  return warehouse;
};

const runSink = async (
  { config, logger, metrics, closing, fail }: ServiceProcess,
  store: Store,
  warehouse: Warehouse,
): Promise<RunningAudit> => {
  const sink = startSink({ store, warehouse, logger, metrics, batchBytesMax: config.sinkBatchBytesMax });
  closing('sink', CLOSE.sink, () => sink.stop());
  sink.ended.catch(fail);
  const labels = startLabels({ store, warehouse, logger });
  closing('labels', CLOSE.sink, () => labels.stop());
  labels.ended.catch(fail);
  const references = startReferences({ store, warehouse, logger });
  closing('references', CLOSE.sink, () => references.stop());
  references.ended.catch(fail);
  const ledger = startLedgerSink({ store, warehouse, logger });
  closing('ledger tables', CLOSE.sink, () => ledger.stop());
  ledger.ended.catch(fail);
  await loadCuratedLabels(store, systemClock, new AbortController().signal);
  // It compares the log with the tables, so it runs where those are kept, whoever follows the chains.
  const audit = startAudit({ store, warehouse, chains: config.chains, logger });
  closing('audit', CLOSE.ingest, () => audit.stop());
  audit.ended.catch(fail);
  return audit;
};

const runDerivation = (
  { config, logger, metrics, closing }: ServiceProcess,
  store: Store,
  warehouse: Warehouse,
  world: RunningWorld | null,
): RunningDerivation => {
  const derivation = startDerivation({
    store,
    warehouse,
    chains: config.chains,
    clock: systemClock,
    logger,
    metrics,
  });
  const describing = startDescribing({ store, warehouse, chains: chainsOf(config, world), logger });
  const source = config.pricesUrl && createHttpPriceSource({ url: config.pricesUrl });
  const fetching = source && startPriceSource({ store, warehouse, source, logger });
  closing('derivation', CLOSE.derivation, async () => {
    await Promise.all([derivation.stop(), describing.stop(), fetching?.stop()]);
  });
  return derivation;
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

const runIngest = (
  { config, logger, metrics, closing, fail, ...service }: ServiceProcess,
  store: Store,
  world: RunningWorld | null,
): RunningIngest => {
  const chains = followedBy(service, chainsOf(config, world));
  const ingest = startIngest({ store, chains, logger, metrics, clock: systemClock });
  ingest.ended.catch(fail);
  const wallets = startWallets({ store, chains, logger, clock: systemClock });
  wallets.ended.catch(fail);
  closing('ingest', CLOSE.ingest, async () => {
    await Promise.all([ingest.stop(), wallets.stop()]);
    await world?.stop();
  });
  return ingest;
};

const runBilling = async ({ logger, closing }: ServiceProcess, store: Store): Promise<Billing> => {
  const billing = await startBilling(store, (err) => logger.error({ err }, 'accounts or ledger'));
  closing('billing', CLOSE.billing, () => billing.stop());
  return billing;
};

const runPayments = async (
  { config, logger, metrics, closing }: ServiceProcess,
  store: Store,
  { ledger }: Billing,
): Promise<RunningPayments | null> => {
  const { x402 } = config;
  if (x402 === null) return null;
  const { log, registry } = store;
  const secret = openSecret(store.folder, 'payment-secret');
  const onError = (err: unknown): void => logger.error({ err }, 'payments');
  const payments = await startPayments({
    log,
    registry,
    x402,
    secret,
    clock: systemClock,
    giveCredits: async ({ accountId, credits }, paymentKey) => {
      await ledger.submit(`account:${accountId}`, { type: 'AddCredits', id: `x402:${paymentKey}`, credits });
    },
    onError,
    onRecorded: countSettlements(metrics),
  });
  closing('payments', CLOSE.billing, () => payments.stop());
  return payments;
};

/** The first account closes the doors to everybody else. */
const isOpen = ({ accounts }: Billing): boolean => !accounts.directory.hasAccounts();

const openHistories = async ({
  closing,
  ...request
}: Parameters<typeof followHistories>[0] & Pick<ServiceProcess, 'closing'>): Promise<Histories> => {
  const histories = await followHistories(request);
  closing('histories', CLOSE.billing, () => histories.stop());
  return histories;
};

/** Every process says how it is; questions are answered by the role of the API only. */
const runHttp = async (
  { config, logger, metrics, isClosing, closing, runs }: ServiceProcess,
  parts: {
    store: Store;
    warehouse: Warehouse | null;
    audit: RunningAudit | null;
    ingest: RunningIngest | null;
    billing: Billing | null;
    accountArea: AccountArea | null;
    payments: RunningPayments | null;
    derivation: RunningDerivation | null;
  },
): Promise<string> => {
  const { warehouse, ingest, billing, payments } = parts;
  const chains = CHAINS.map((chain) => chain.name);
  const progress = ingest?.progress ?? [];
  const probes = createStatusProbes({
    ...parts,
    progress,
    configured: config.chains,
    gaps: parts.audit?.gaps ?? new Map(),
    chains,
    clock: systemClock,
  });
  const shared = { probes, logger, metrics, clock: systemClock, version: readVersion(), isClosing };
  const wallets = {
    ...{ store: parts.store, chains: config.chains.map(({ name }) => name) },
    ...{ clock: systemClock, logger },
  };
  const api =
    warehouse && billing && runs('api')
      ? createApi({
          ...shared,
          chains,
          publicUrl: config.publicUrl,
          histories: await openHistories({ ...wallets, closing }),
          askForWallet: await createAskForWallet(wallets),
          reader: createTransferReader(warehouse.reader),
          traceReader: createTraceReader(warehouse.reader),
          prices: createPriceReader(warehouse.reader),
          assets: createAssetReader(warehouse.reader),
          accountArea: parts.accountArea,
          billing: {
            ledger: countReservations(billing.ledger, metrics),
            directory: billing.accounts.directory,
            // Where calls can be paid for, none is free.
            isOpen: () => payments === null && isOpen(billing),
            payments,
            idempotency: await openIdempotency({ logger, closing }, parts.store),
          },
        })
      : createOperationsApi(shared);
  const listening = await serve(api, config);
  closing('api', CLOSE.api, () => listening.close({ graceMs: CLOSE_MS.grace }));
  return listening.url;
};

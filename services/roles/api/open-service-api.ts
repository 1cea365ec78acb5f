import { type ApiDependencies, createApi } from '../../api/create-api.ts';
import { createOperationsApi } from '../../api/create-operations-api.ts';
import { openCaseCodec } from '../../cases/case-codec.ts';
import { openCaseDesk } from '../../cases/case-desk.ts';
import { openSigningKeys } from '../../evidence/signing-keys.ts';
import { createHoldingReader } from '../../ingest/wallets/ask-holding.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import { systemClock } from '../../platform/clock.ts';
import { programVersion } from '../../platform/program-version.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { openJobCodec } from '../../retrace/job-codec.ts';
import { openJobDesk } from '../../retrace/job-desk.ts';
import type { HeldLabels } from '../../warehouse/labels/held-labels.ts';
import { createAssetReader } from '../../warehouse/read/assets/assets.ts';
import { createPriceReader } from '../../warehouse/read/assets/price.ts';
import { createCaseReader } from '../../warehouse/read/create-case-reader.ts';
import { createControlReader } from '../../warehouse/read/create-control-reader.ts';
import { createFunderReader } from '../../warehouse/read/create-funder-reader.ts';
import { createProfileReader } from '../../warehouse/read/create-profile-reader.ts';
import { createTokenReader } from '../../warehouse/read/create-token-reader.ts';
import { createTraceReader } from '../../warehouse/read/create-trace-reader.ts';
import { createTransferReader } from '../../warehouse/read/create-transfer-reader.ts';
import { createHistoryReader } from '../../warehouse/read/histories/listed-windows.ts';
import { openIdempotency } from '../billing/open-idempotency.ts';
import { isOpen } from '../billing/run-billing.ts';
import type { Billing } from '../billing/start-billing.ts';
import { startWalletAsker } from '../ingest/ask-for-wallet.ts';
import { followBackfills } from '../ingest/follow-backfills.ts';
import { readEvidence, readSources } from '../read-evidence.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import { openSecret } from '../store/open-secret.ts';
import { countReservations } from './count-work.ts';
import { healthOf, type ServiceApi, type ServiceParts } from './create-health-api.ts';
import { followLabels } from './follow-labels.ts';
import { watchPrices } from './watch-prices.ts';

/** The answers of the role `api` once all roles run. */
export const openServiceApi = async (
  service: ServiceProcess,
  parts: ServiceParts,
  { warehouse, billing }: { warehouse: Warehouse; billing: Billing },
): Promise<ServiceApi> => {
  const { config } = service;
  const shared = healthOf(service, parts);
  const apiBilling = await openApiBilling(service, parts, billing);
  const api = createApi({
    ...shared,
    ...readersOf(warehouse, await openLabels(service, parts)),
    chains: CHAINS.map(({ name }) => name),
    holdings: createHoldingReader(parts.nodes),
    publicUrl: config.publicUrl,
    proxies: config.proxies,
    ...(await openWallets(service, parts)),
    continuationSecret: openSecret(parts.store.folder, 'continuation-secret', config.secret),
    arePricesPending: openPrices(service, parts, warehouse),
    accountArea: parts.accountArea,
    desk: await openDesk(service, parts),
    caseDesk: await openCases(service, parts),
    evidenceKeys: async () => (await readKeys(config.dataFolder)).published,
    caseExport: {
      readRows: readEvidence(warehouse.reader),
      rowsMax: EVIDENCE_ROWS_MAX,
      readLabels: readSources(warehouse.reader),
      signing: async () => (await readKeys(config.dataFolder)).signing,
      version: programVersion(),
    },
    billing: apiBilling,
  });
  return { api, operations: createOperationsApi(shared, apiBilling.isOpen) };
};

const readersOf = ({ reader }: Warehouse, held: HeldLabels) => ({
  reader: createTransferReader(reader, systemClock, held),
  traceReader: createTraceReader(reader, systemClock, held),
  profileReader: createProfileReader(reader, systemClock, held),
  control: createControlReader(reader),
  cases: createCaseReader(reader),
  funders: createFunderReader(reader),
  controls: createControlReader(reader),
  tokens: createTokenReader(reader),
  histories: createHistoryReader(reader),
  prices: createPriceReader(reader),
  assets: createAssetReader(reader),
});

const openLabels = async ({ logger, closing }: ServiceProcess, { store }: ServiceParts) => {
  const labels = await followLabels({ store, logger });
  closing('labels held', CLOSE.billing, () => labels.stop());
  return labels;
};

/** A call that has wallets read takes no longer than this. */
const CALL_MS = 85_000;

/** Read each time, because a command may have made a new one. */
const readKeys = (dataFolder: string) =>
  openSigningKeys(dataFolder, Math.floor(systemClock.nowUnixMs() / 1_000));

/** Movements of one query of an export: some hundred megabytes in memory at most. */
const EVIDENCE_ROWS_MAX = 100_000;

/** How wallet histories are requested, and which were read. */
const openWallets = async ({ config, logger, closing }: ServiceProcess, { store }: ServiceParts) => {
  const chains = config.chains.map(({ name }) => name);
  const request = { store, chains, clock: systemClock, logger };
  const backfills = await followBackfills(request);
  closing('backfills', CLOSE.billing, () => backfills.stop());
  const asker = await startWalletAsker(request);
  closing('wallets asked for', CLOSE.billing, () => asker.stop());
  return { backfills: backfills.now, askForWallet: asker.ask, waitForWalletsMs: CALL_MS };
};

const openPrices = (
  { logger, closing }: ServiceProcess,
  { store }: ServiceParts,
  { reader }: Warehouse,
): (() => boolean) => {
  const onError = (err: unknown): void => logger.warn({ err }, 'cannot check how far prices are derived');
  const watched = watchPrices(store, reader, { onError });
  closing('watching prices', CLOSE.billing, () => watched.stop());
  return watched.isPending;
};

/** Jobs of many traces, which the role `retrace` works on. */
const openDesk = async ({ logger, closing }: ServiceProcess, { store }: ServiceParts) => {
  const { log, registry } = store;
  const onError = (err: unknown): void =>
    logger.error({ err }, 'reading the topic of jobs failed; trying again');
  const desk = await openJobDesk({ log, codec: await openJobCodec(registry), clock: systemClock, onError });
  closing('following the topic of jobs', CLOSE.billing, () => desk.stop());
  return desk;
};

/** What people keep of what they looked at. */
const openCases = async ({ logger, closing }: ServiceProcess, { store }: ServiceParts) => {
  const { log, registry } = store;
  const onError = (err: unknown): void =>
    logger.error({ err }, 'reading the topic of cases failed; trying again');
  const desk = await openCaseDesk({ log, codec: await openCaseCodec(registry), clock: systemClock, onError });
  closing('following the topic of cases', CLOSE.billing, () => desk.stop());
  return desk;
};

const openApiBilling = async (
  { logger, metrics, closing }: ServiceProcess,
  { store, payments }: ServiceParts,
  billing: Billing,
): Promise<ApiDependencies['billing']> => ({
  ledger: countReservations(billing.ledger, metrics),
  directory: billing.accounts.directory,
  isOpen: () => isOpen(billing, payments),
  payments,
  idempotency: await openIdempotency({ logger, closing }, store),
});

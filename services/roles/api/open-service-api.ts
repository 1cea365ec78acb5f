import type { AccountArea } from '../../api/account/sign-in.ts';
import { type ApiDependencies, createApi } from '../../api/create-api.ts';
import { createOperationsApi, createStatusApi } from '../../api/create-operations-api.ts';
import { createHoldingReader } from '../../ingest/wallets/ask-holding.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import type { RunningPayments } from '../../payments/start-payments.ts';
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
import { openIdempotency } from '../billing/open-idempotency.ts';
import { isOpen } from '../billing/run-billing.ts';
import type { Billing } from '../billing/start-billing.ts';
import type { RunningDerivation } from '../derive/start-derivation.ts';
import { startWalletAsker } from '../ingest/ask-for-wallet.ts';
import { followBackfills } from '../ingest/follow-backfills.ts';
import type { ChainNodes } from '../ingest/open-source.ts';
import type { RunningIngest } from '../ingest/start-ingest.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import type { RunningSinks } from '../sink/run-sinks.ts';
import type { Store } from '../store/open-store.ts';
import { countReservations } from './count-work.ts';
import { followLabels } from './follow-labels.ts';
import { createStartProbes, type Opened } from './start-probes.ts';
import { createStatusProbes } from './status-probes.ts';

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

/** The answers once all roles run: health, and questions if the process has the role `api`. */
export const openServiceApi = async (service: ServiceProcess, parts: ServiceParts): Promise<ServiceApi> => {
  const { config, runs } = service;
  const { warehouse, billing } = parts;
  const chains = CHAINS.map((chain) => chain.name);
  const probes = createStatusProbes({
    ...parts,
    progress: parts.ingest?.progress ?? [],
    configured: config.chains,
    gaps: parts.sinks?.audit.gaps ?? new Map(),
    sink: parts.sinks,
    chains,
    clock: systemClock,
  });
  const shared = { ...operationsOf(service), probes };
  if (!warehouse || !billing || !runs('api'))
    return { api: createStatusApi(shared), operations: createOperationsApi(shared) };
  const apiBilling = await openApiBilling(service, parts, billing);
  const api = createApi({
    ...shared,
    ...readersOf(warehouse, await openLabels(service, parts)),
    chains,
    holdings: createHoldingReader(parts.nodes),
    publicUrl: config.publicUrl,
    proxies: config.proxies,
    ...(await openWallets(service, parts)),
    accountArea: parts.accountArea,
    desk: await openDesk(service, parts),
    billing: apiBilling,
  });
  return { api, operations: createOperationsApi(shared, apiBilling.isOpen) };
};

/** The answers until then: progress of the start. */
export const createStartApi = (service: ServiceProcess, opened: Opened): ServiceApi => {
  const shared = { ...operationsOf(service), probes: createStartProbes(service, opened) };
  return { api: createStatusApi(shared), operations: createOperationsApi(shared) };
};

const operationsOf = ({ logger, metrics, isClosing }: ServiceProcess) => ({
  ...{ logger, metrics, isClosing },
  clock: systemClock,
  version: programVersion(),
});

const readersOf = ({ reader }: Warehouse, held: HeldLabels) => ({
  reader: createTransferReader(reader, systemClock, held),
  traceReader: createTraceReader(reader, systemClock, held),
  profileReader: createProfileReader(reader, systemClock, held),
  control: createControlReader(reader),
  cases: createCaseReader(reader),
  funders: createFunderReader(reader),
  controls: createControlReader(reader),
  tokens: createTokenReader(reader),
  prices: createPriceReader(reader),
  assets: createAssetReader(reader),
});

const openLabels = async ({ logger, closing }: ServiceProcess, { store }: ServiceParts) => {
  const labels = await followLabels({ store, logger });
  closing('labels held', CLOSE.billing, () => labels.stop());
  return labels;
};

/** How wallet histories are requested, and which were read. */
const openWallets = async ({ config, logger, closing }: ServiceProcess, { store }: ServiceParts) => {
  const chains = config.chains.map(({ name }) => name);
  const request = { store, chains, clock: systemClock, logger };
  const backfills = await followBackfills(request);
  closing('backfills', CLOSE.billing, () => backfills.stop());
  const asker = await startWalletAsker(request);
  closing('wallets asked for', CLOSE.billing, () => asker.stop());
  return { backfills: backfills.now, askForWallet: asker.ask };
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

import type { KafkaEngines } from '../../platform/config/kafka.ts';
import { LogError } from '../../platform/event-log/event-log.ts';
import type { AppliedTopic } from '../../platform/event-log/kafka/apply-topics.ts';
import { retryForever } from '../../platform/retry.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import { readTableSizes } from '../../warehouse/table-sizes.ts';
import { timeQuestions } from '../api/count-work.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import { readNewestBlocks } from '../sink/newest-blocks.ts';
import { SINK_GROUP, TRANSFER_TOPICS } from '../sink/start-sink.ts';
import { chooseStore } from './choose-store.ts';
import { openStore, placesOf, type Store, type StoreName } from './open-store.ts';
import { openTables } from './open-tables.ts';
import { RebuildUnfinishedError, refuseUnfinishedRebuild } from './rebuild-marker.ts';
import { refuseWhileRebuilt } from './refuse-while-rebuilt.ts';

const NEVER = new AbortController().signal;

/** The store of a process, with metrics, closed with it. */
export const openServiceStore = async (service: ServiceProcess): Promise<Store> => {
  const { config, logger, metrics, waitFor } = service;
  const name = chooseStore(config);
  // A generated world creates its topics. Topics of real chains are applied once by an operator.
  if (config.kafka && name !== 'chain') await bringTopics(service, config.kafka, name);
  const store = await openStore({
    ...placesOf(config),
    name,
    onError: (err) => logger.warn({ err }, 'the event log failed; trying again'),
    waitFor,
  });
  service.closing('event log', CLOSE.log, () => store.close());
  await refuseUnfinishedRebuild(store);
  metrics.watchLog(() => store.log.stats());
  metrics.watchSinkLag(() => readLag(store.log, SINK_GROUP, TRANSFER_TOPICS));
  return store;
};

const bringTopics = async (
  { logger, waitFor }: ServiceProcess,
  kafka: KafkaEngines,
  name: StoreName,
): Promise<AppliedTopic[]> => {
  const { applyStoreTopics } = await import('./apply-store-topics.ts');
  return waitFor('event_log', (isAway) =>
    retryForever(() => applyStoreTopics(kafka, name), {
      signal: NEVER,
      onWait: (err) => {
        isAway();
        logger.warn({ err }, 'the event log cannot be opened yet; trying again');
      },
      isFinal: (error) => !(error instanceof LogError) || error.code !== 'kafka_away',
    }),
  );
};

export const touchesTables = ({ runs }: Pick<ServiceProcess, 'runs'>): boolean =>
  (['sink', 'derive', 'retrace', 'api'] as const).some(runs);

/** Its tables, with timings, closed with the process; null if no role needs them. */
export const openServiceTables = async (service: ServiceProcess, store: Store): Promise<Warehouse | null> => {
  const { logger, metrics, runs, fail, waitFor } = service;
  if (!touchesTables(service)) return null;
  const warehouse = await waitFor('warehouse', (isAway) =>
    openTables({ store, owns: runs('sink'), logger, isAway, onLost: fail }),
  );
  service.closing('warehouse', CLOSE.warehouse, () => warehouse.close());
  timeQuestions(warehouse.reader, metrics);
  if (store.server) await standBackWhileRebuilt(service, store, warehouse);
  if (runs('sink')) {
    metrics.watchParts(async () => {
      const sizes = await readTableSizes(warehouse.writer);
      return new Map(sizes.map(({ table, parts }) => [table, parts]));
    });
    metrics.watchNewestBlocks(() => readNewestBlocks(warehouse, service.config.chains));
  }
  return warehouse;
};

/** With files one process owns the tables, so no rebuild can run beside it. */
const standBackWhileRebuilt = async (
  { logger, closing, fail, runs }: ServiceProcess,
  store: Store,
  { reader }: Warehouse,
): Promise<void> => {
  const stop = await refuseWhileRebuilt(reader, store, {
    onRebuild: () => {
      logger.warn('the tables are being rebuilt from the log; queries are refused until that ends');
      // Half-filled tables must not be used. After a restart the process refuses until the rebuild is complete.
      if (runs('derive')) fail(new RebuildUnfinishedError(store.folder));
    },
    onError: (err) => logger.warn({ err }, 'cannot check whether the tables are being rebuilt'),
  });
  closing('looking for a rebuild', CLOSE.warehouse, stop);
};

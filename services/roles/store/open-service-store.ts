import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { readActiveParts } from '../../warehouse/read/active-parts.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import { timeQuestions } from '../api/count-work.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import { readNewestBlocks } from '../sink/newest-blocks.ts';
import { refuseUnfinishedRebuild } from '../sink/rebuild-tables.ts';
import { SINK_GROUP, TRANSFER_TOPICS } from '../sink/start-sink.ts';
import { applyStoreTopics } from './apply-store-topics.ts';
import { chooseStore } from './choose-store.ts';
import { openStore, placesOf, type Store } from './open-store.ts';
import { openTables } from './open-tables.ts';

/** The store that a process serves, counted and closed with it. */
export const openServiceStore = async (service: ServiceProcess): Promise<Store> => {
  const { config, logger, metrics, waitFor } = service;
  const name = chooseStore(config);
  const { kafka } = config;
  // A generated world brings its topics along; those of real chains are declared once, by whoever may.
  if (kafka && name !== 'chain') await waitFor('event_log', () => applyStoreTopics(kafka, name));
  const store = await openStore({
    ...placesOf(config),
    name,
    onError: (err) => logger.warn({ err }, 'the event log'),
    waitFor,
  });
  service.closing('event log', CLOSE.log, () => store.close());
  refuseUnfinishedRebuild(store);
  metrics.watchLog(() => store.log.stats());
  metrics.watchSinkLag(() => readLag(store.log, SINK_GROUP, TRANSFER_TOPICS));
  return store;
};

export const touchesTables = ({ runs }: Pick<ServiceProcess, 'runs'>): boolean =>
  (['sink', 'derive', 'api'] as const).some(runs);

/** Its tables, timed and closed with the process; null where no role of it touches them. */
export const openServiceTables = async (service: ServiceProcess, store: Store): Promise<Warehouse | null> => {
  const { logger, metrics, runs, fail, waitFor } = service;
  if (!touchesTables(service)) return null;
  const warehouse = await waitFor('warehouse', (isAway) =>
    openTables({ store, owns: runs('sink'), logger, isAway, onLost: fail }),
  );
  service.closing('warehouse', CLOSE.warehouse, () => warehouse.close());
  timeQuestions(warehouse.reader, metrics);
  if (runs('sink')) {
    metrics.watchParts(() => readActiveParts(warehouse.writer));
    metrics.watchNewestBlocks(() => readNewestBlocks(warehouse, service.config.chains));
  }
  return warehouse;
};

import { openReferenceEvents } from '../../events/reference-events.ts';
import type { SentDeadLetter } from '../../platform/event-log/dead-letters.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { runReferenceSink } from '../../warehouse/sink/reference-sink.ts';
import type { Metrics } from '../create-metrics.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import type { Store } from '../store/open-store.ts';
import { type RunningSink, toldWaits } from './told-waits.ts';

export const REFERENCE_GROUP = 'references';

/** Fills the tables of token descriptions and imported prices from the log. */
export const startReferences = (request: {
  store: Store;
  warehouse: Pick<Warehouse, 'writer'>;
  logger: Logger;
  metrics?: Pick<Metrics, 'deadLetter'>;
}): RunningSink => {
  const { store, warehouse, logger, metrics } = request;
  const { isRefused, ...waits } = toldWaits(
    logger,
    'the tables of assets are out of reach; the log keeps what comes',
  );
  const run = async (signal: AbortSignal): Promise<void> => {
    const references = await openReferenceEvents(store.registry);
    const events = {
      deadLetter: (letter: SentDeadLetter) => {
        metrics?.deadLetter(letter);
        logger.error(letter, 'an asset event is invalid and becomes a dead letter');
      },
      ...waits,
    };
    const { log } = store;
    await runReferenceSink(
      { log, references, client: warehouse.writer, group: REFERENCE_GROUP, events },
      signal,
    );
  };
  return { ...runUntilStopped(run), isRefused };
};

import { openReferenceEvents } from '../events/reference-events.ts';
import type { Logger } from '../platform/logger.ts';
import type { Warehouse } from '../platform/warehouse-engine/warehouse.ts';
import { runReferenceSink } from '../warehouse/sink/reference-sink.ts';
import type { Store } from './open-store.ts';

export const REFERENCE_GROUP = 'references';

export type RunningReferences = {
  /** Rejects when it ended for any reason but `stop`. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

/** Keeps the tables of what assets say of themselves, and of imported prices, as the log says. */
export const startReferences = (request: {
  store: Store;
  warehouse: Pick<Warehouse, 'writer'>;
  logger: Logger;
}): RunningReferences => {
  const { store, warehouse, logger } = request;
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    const references = await openReferenceEvents(store.registry);
    const events = {
      deadLetter: (letter: object) => logger.error(letter, 'an event about an asset can never be stored'),
      waiting: (err: unknown, waitMs: number) =>
        logger.warn({ err, waitMs }, 'the tables of assets are out of reach; the log keeps what comes'),
    };
    const { log } = store;
    await runReferenceSink(
      { log, references, client: warehouse.writer, group: REFERENCE_GROUP, events },
      stopping.signal,
    );
  };
  const ended = run();
  // Whoever started it looks at `ended`; until then a failure must not count as unhandled.
  ended.catch(() => {});
  return {
    ended,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
};

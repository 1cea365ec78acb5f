import type { Logger } from '../../platform/logger.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { deleteRetracted } from '../../warehouse/sink/delete-retracted.ts';
import { findShown } from '../../warehouse/sink/find-shown.ts';
import { hideRetracted } from '../../warehouse/sink/hide-retracted.ts';
import { insertBlockTransfers } from '../../warehouse/sink/insert-block-transfers.ts';
import { keepFinal } from '../../warehouse/sink/keep-final.ts';
import { runSink, type SinkOptions } from '../../warehouse/sink/sink.ts';
import type { SinkEvents, SinkTarget } from '../../warehouse/sink/store-batch.ts';
import type { Metrics } from '../create-metrics.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import type { Store } from '../store/open-store.ts';
import { type RunningSink, toldWaits } from './told-waits.ts';

export const SINK_GROUP = 'sink';
export const TRANSFER_TOPICS = ['transfers.head', 'transfers.history'] as const;

const LINGER_MS = 200;
/**
 * During a replay nobody asks questions, so fewer inserts matter most: each costs 65 ms of processor time before
 * its first row, and its parts are merged later. A partition gathers some 8 MiB in this time.
 */
export const BULK_LINGER_MS = 10_000;

export type RunningTransferSink = RunningSink & {
  /** No more records will come, so what is there is stored at once. */
  hurry(): void;
};

/** Runs a store's sink. `batchBytesMax` bounds a batch's memory. */
export const startSink = (request: {
  store: Store;
  warehouse: Pick<Warehouse, 'writer' | 'insertBody'>;
  logger: Logger;
  metrics?: Metrics;
  batchBytesMax: number;
  group?: string;
  /** Longer if throughput matters more than latency. */
  lingerMs?: number;
  events?: Partial<SinkEvents>;
}): RunningTransferSink => {
  const { store, warehouse, logger, metrics } = request;
  const hurrying = new AbortController();
  const { waitsSinceUnixMs, waiting, recovered } = toldWaits(
    logger,
    'the tables or the log are out of reach; the log keeps what comes',
  );
  const options: SinkOptions = {
    log: store.log,
    registry: store.registry,
    target: createTarget(warehouse),
    events: {
      inserted: (batch) => {
        metrics?.batchInserted(batch);
        logger.debug(batch, 'batch inserted');
      },
      deadLetter: (letter) => {
        metrics?.deadLetter(letter);
        logger.error(letter, 'a record is invalid and becomes a dead letter');
      },
      ...request.events,
      waiting: (err, waitMs) => {
        waiting(err, waitMs);
        request.events?.waiting?.(err, waitMs);
      },
      recovered,
    },
    group: request.group ?? SINK_GROUP,
    topics: TRANSFER_TOPICS,
    batchBytesMax: request.batchBytesMax,
    lingerMs: request.lingerMs ?? LINGER_MS,
    hurry: hurrying.signal,
  };
  return {
    ...runUntilStopped((signal) => runSink(options, signal)),
    waitsSinceUnixMs,
    hurry: () => hurrying.abort(),
  };
};

const createTarget = (warehouse: Pick<Warehouse, 'writer' | 'insertBody'>): SinkTarget => ({
  insert: (records, token) => insertBlockTransfers(warehouse, { records, token }),
  findShown: (blocks) => findShown(warehouse.writer, blocks),
  hideRetracted: (sequences) => hideRetracted(warehouse.writer, sequences),
  keepFinal: (blocks) => keepFinal(warehouse.writer, blocks),
  deleteRetracted: (ends) => deleteRetracted(warehouse.writer, { ends }),
});

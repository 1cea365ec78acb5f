import { setTimeout as sleep } from 'node:timers/promises';
import { openLabelEvents } from '../../events/label-events.ts';
import type { SentDeadLetter } from '../../platform/event-log/dead-letters.ts';
import type { Logger } from '../../platform/logger.ts';
import { type RetryWaits, retryForever } from '../../platform/retry.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { copyServiceEntries } from '../../warehouse/labels/copy-service-entries.ts';
import { runLabelSink } from '../../warehouse/sink/label-sink.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import { createWaits } from '../../warehouse/sink/waits.ts';
import type { Metrics } from '../create-metrics.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import type { Store } from '../store/open-store.ts';
import { type RunningSink, toldWaits } from './told-waits.ts';
import { untilTransfersStored } from './until-transfers-stored.ts';

export const LABEL_GROUP = 'labels';

const LOOK_MS = 100;

export type RunningLabels = RunningSink & {
  /** Whether the tables hold all labels of the log and entries of every service. */
  isSettled(): Promise<boolean>;
};

/** Fills the tables of labels and of service transfers from the log. */
export const startLabels = (request: {
  store: Store;
  warehouse: Pick<Warehouse, 'writer'>;
  logger: Logger;
  metrics?: Pick<Metrics, 'deadLetter'>;
}): RunningLabels => {
  const { store, warehouse, logger, metrics } = request;
  const copying = createCopying(request);
  const { waitsSinceUnixMs, ...told } = toldWaits(
    logger,
    'the tables of labels are out of reach; the log keeps what comes',
  );
  const run = async (signal: AbortSignal): Promise<void> => {
    const labels = await openLabelEvents(store.registry);
    const failed = new AbortController();
    const ending = AbortSignal.any([signal, failed.signal]);
    const waits = createWaits(told, ending);
    const { onWait: waiting, onRecovered: recovered } = waits();
    const events = {
      stored: ({ records, serviceWallets }: { records: number; serviceWallets: number | null }) => {
        logger.debug({ records, serviceWallets }, 'labels stored');
        if (serviceWallets !== 0) copying.wake();
      },
      deadLetter: (letter: SentDeadLetter) => {
        metrics?.deadLetter(letter);
        logger.error(letter, 'a label event is invalid and becomes a dead letter');
      },
      waiting,
      recovered,
    };
    const sink = { log: store.log, labels, client: warehouse.writer, group: LABEL_GROUP, events };
    const both = [runLabelSink(sink, ending), copying.run(waits())];
    try {
      await Promise.all(both);
    } catch (error) {
      const stopped = signal.aborted;
      // Neither continues alone, and both must end.
      failed.abort();
      await Promise.allSettled(both);
      if (!stopped) throw error;
    }
  };
  return {
    ...runUntilStopped(run),
    waitsSinceUnixMs,
    isSettled: async () => (await readLag(store.log, LABEL_GROUP, ['labels'])) === 0 && copying.isDone(),
  };
};

/** Copies while there is something to copy, then sleeps until woken. */
const createCopying = ({ store, warehouse }: { store: Store; warehouse: Pick<Warehouse, 'writer'> }) => {
  let isWoken = true;
  let isCopying = false;
  const copy = (signal: AbortSignal) =>
    copyServiceEntries({
      client: warehouse.writer,
      untilStored: () => untilTransfersStored(store, signal),
    });
  return {
    wake: () => {
      isWoken = true;
    },
    isDone: () => !isWoken && !isCopying,
    run: async (waits: RetryWaits): Promise<void> => {
      const { signal } = waits;
      while (!signal.aborted) {
        if (isWoken) {
          isCopying = true;
          isWoken = false;
          // The first look also finds what an earlier run left.
          while (await retryForever(() => copy(signal), waits));
          isCopying = false;
        }
        await sleep(LOOK_MS, undefined, { signal });
      }
    },
  };
};

import type { SentDeadLetter } from '../../platform/event-log/dead-letters.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { runTableSink, type TableSinkOptions } from '../../warehouse/sink/table-sink.ts';
import type { Metrics } from '../create-metrics.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import type { Store } from '../store/open-store.ts';
import { type RunningSink, toldWaits } from './told-waits.ts';

export type TableSinkRequest = {
  store: Store;
  warehouse: Pick<Warehouse, 'writer'>;
  logger: Logger;
  metrics?: Pick<Metrics, 'deadLetter'>;
};

/** `rows` opens what reads the events. `what` names them in the log of the process, such as "asset". */
type Filled = Pick<TableSinkOptions, 'group' | 'topics'> & {
  readonly what: string;
  rows(store: Store, signal: AbortSignal): Promise<Pick<TableSinkOptions, 'rowsOf' | 'untilReady'>>;
};

/** Fills tables from events that are rows as they stand. */
export const startTableSink = (
  { store, warehouse, logger, metrics }: TableSinkRequest,
  { what, rows, ...consumed }: Filled,
): RunningSink => {
  const { waitsSinceUnixMs, ...waits } = toldWaits(
    logger,
    `the tables of ${what} events are out of reach; the log keeps what comes`,
  );
  const events = {
    deadLetter: (letter: SentDeadLetter) => {
      metrics?.deadLetter(letter);
      logger.error(letter, `an event of ${what} is invalid and becomes a dead letter`);
    },
    ...waits,
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    const sink = { log: store.log, client: warehouse.writer, events, ...consumed };
    await runTableSink({ ...sink, ...(await rows(store, signal)) }, signal);
  };
  return { ...runUntilStopped(run), waitsSinceUnixMs };
};

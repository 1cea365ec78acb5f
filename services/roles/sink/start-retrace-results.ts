import { JOBS, openJobCodec } from '../../retrace/job-codec.ts';
import { runResultSink } from '../../retrace/result-sink.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import { retraceRows } from './retrace-rows.ts';
import type { TableSinkRequest } from './start-table-sink.ts';
import { type RunningSink, toldWaits } from './told-waits.ts';

export const RETRACE_RESULT_GROUP = 'retrace-results';
export const RETRACE_RESULT_TOPICS = [JOBS];

/** Fills the tables of what jobs have found. */
export const startRetraceResults = (request: TableSinkRequest): RunningSink => {
  const { store, warehouse, logger, metrics } = request;
  const { waitsSinceUnixMs, waiting, recovered } = toldWaits(
    logger,
    'the tables of retrace results wait; the log keeps what comes',
  );
  const run = async (signal: AbortSignal): Promise<void> => {
    const sink = {
      ...{ log: store.log, codec: await openJobCodec(store.registry), client: warehouse.writer },
      ...{ group: RETRACE_RESULT_GROUP, rowsOf: retraceRows, onWait: waiting, onRecovered: recovered },
    };
    await runResultSink(
      {
        ...sink,
        deadLetter: (letter) => {
          metrics?.deadLetter(letter);
          logger.error(letter, 'an event of a job is invalid and becomes a dead letter');
        },
      },
      signal,
    );
  };
  return { ...runUntilStopped(run), waitsSinceUnixMs };
};

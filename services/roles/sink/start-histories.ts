import { HISTORY_LISTED, openHistoryEvents } from '../../events/history-events.ts';
import { historyRows } from '../../warehouse/sink/history-rows.ts';
import { startTableSink, type TableSinkRequest } from './start-table-sink.ts';
import type { RunningSink } from './told-waits.ts';
import { untilTransfersStored } from './until-transfers-stored.ts';

export const HISTORY_GROUP = 'histories';
export const HISTORY_TOPICS = [HISTORY_LISTED];

/** Fills the table of windows that were read, each after the transactions that it speaks of. */
export const startHistories = (request: TableSinkRequest): RunningSink =>
  startTableSink(request, {
    ...{ group: HISTORY_GROUP, topics: HISTORY_TOPICS, what: 'histories' },
    rows: async (store, signal) => {
      const histories = await openHistoryEvents(store.registry);
      return {
        rowsOf: (record, sequence) => historyRows(histories.decodeListed(record), sequence),
        untilReady: () => untilTransfersStored(store, signal),
      };
    },
  });

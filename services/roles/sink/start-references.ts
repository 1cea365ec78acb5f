import { openReferenceEvents, REFERENCE_TOPICS } from '../../events/reference-events.ts';
import { referenceRows } from '../../warehouse/sink/reference-rows.ts';
import { startTableSink, type TableSinkRequest } from './start-table-sink.ts';
import type { RunningSink } from './told-waits.ts';

export const REFERENCE_GROUP = 'references';

/** Fills the tables of token descriptions and imported prices from the log. */
export const startReferences = (request: TableSinkRequest): RunningSink =>
  startTableSink(request, {
    ...{ group: REFERENCE_GROUP, topics: REFERENCE_TOPICS, what: 'assets' },
    rows: async ({ registry }) => {
      const references = await openReferenceEvents(registry);
      return { rowsOf: (record, sequence) => referenceRows(references.decode(record), sequence) };
    },
  });

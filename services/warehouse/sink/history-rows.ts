import type { ListedWindow } from '../../investigate/model/history.ts';
import type { TableRows } from './table-sink.ts';

/** A window of a history as a row. */
export const historyRows = (
  { asset, reason, lastUnixSeconds, readAtUnixSeconds, ...window }: ListedWindow,
  sequence: number,
): TableRows => ({
  table: 'listed_windows',
  values: [
    {
      ...window,
      asset: asset ?? '',
      reason: reason ?? '',
      last_time: lastUnixSeconds ?? 0,
      read_time: readAtUnixSeconds,
      sequence,
    },
  ],
});

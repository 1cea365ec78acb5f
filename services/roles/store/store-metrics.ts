import type { Meter } from '../../platform/metrics.ts';

export type LogStats = {
  readonly queuedBytes: number;
  /** Only where the log lies in a file of this machine. */
  readonly walBytes?: number;
  readonly fileBytes?: number;
};

export type NewestBlock = {
  readonly chain: string;
  /** How settled blocks are when they are taken. */
  readonly finality: string;
  readonly timeUnixSeconds: number;
};

/** What is watched is read at each scrape, and has no value while the read fails. */
export const storeMetrics = (meter: Meter) => {
  const parts = meter.watchedGauge('spoor_table_parts', 'Active parts of a table.', ['table']);
  const newest = meter.watchedGauge(
    'spoor_chain_newest_block_timestamp_seconds',
    'When the newest block in the tables was made.',
    ['chain', 'finality'],
  );
  const lag = meter.watchedGauge(
    'spoor_sink_lag_records',
    'Records of the event log not yet in the tables; on brokers at most so many.',
    [],
  );
  const logBytes = meter.watchedGauge(
    'spoor_log_bytes',
    'Bytes of the embedded event log, by where they are.',
    ['place'],
  );
  return {
    /** Active parts by table. */
    watchParts: (read: () => Promise<ReadonlyMap<string, number>>): void =>
      parts(async () => [...(await read())].map(([table, count]) => [{ table }, count] as const)),
    /** The newest block in the tables of each chain that is followed. */
    watchNewestBlocks: (read: () => Promise<readonly NewestBlock[]>): void =>
      newest(async () =>
        (await read()).map(
          ({ chain, finality, timeUnixSeconds }) => [{ chain, finality }, timeUnixSeconds] as const,
        ),
      ),
    /** Records in the log that the tables do not hold yet. */
    watchSinkLag: (read: () => Promise<number>): void => lag(async () => [[{}, await read()]]),
    watchLog: (read: () => LogStats): void =>
      logBytes(async () => {
        const { queuedBytes, walBytes, fileBytes } = read();
        const places = { queue: queuedBytes, write_ahead: walBytes, file: fileBytes };
        return Object.entries(places).flatMap(([place, bytes]) =>
          bytes === undefined ? [] : [[{ place }, bytes] as const],
        );
      }),
  };
};

import { sequenceOf } from '../events/event-sequence.ts';
import { consumeBatches } from '../platform/event-log/consume-batches.ts';
import {
  decodeRecords,
  type RefusedRecord,
  type SentDeadLetter,
  sendToDeadLetters,
} from '../platform/event-log/dead-letters.ts';
import { type EventLog, isLogLost, LogError } from '../platform/event-log/event-log.ts';
import { messageOf } from '../platform/message-of.ts';
import { type RetryWaits, retryForever } from '../platform/retry.ts';
import { insertRows } from '../platform/warehouse-engine/insert-rows.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { JOBS, type JobCodec } from './job-codec.ts';
import type { JobEntry } from './job-events.ts';
import { createPages } from './pages.ts';
import type { KeptResult } from './work-on-jobs.ts';

/** What the rows of a wave have in common. */
export type TracedWave = {
  readonly jobId: string;
  readonly run: number;
  readonly foundUnixMs: number;
  /** Places that are shown once they are charged. */
  readonly priced: ReadonlySet<number>;
  readonly sequence: number;
};

export type ResultSinkOptions = Omit<RetryWaits, 'signal'> & {
  readonly log: EventLog;
  readonly codec: JobCodec;
  readonly client: WarehouseClient;
  readonly group: string;
  readonly rowsOf: (wave: TracedWave, result: KeptResult) => readonly object[];
  readonly deadLetter: (letter: SentDeadLetter) => void;
};

/** No repetition helps: its page is gone, or is no list of results. */
const isUnreadable = (error: unknown): boolean => !(error instanceof LogError) || error.code === 'not_kept';

/**
 * Moves what jobs have found, and which anchors are charged, into tables. A repeated event gives the same rows. An event
 * whose page cannot be read any more becomes a dead letter. Runs until the signal. Throws `FencedError` when another process
 * took over.
 */
export const runResultSink = async (options: ResultSinkOptions, signal: AbortSignal): Promise<void> => {
  const { log, codec, client, group, rowsOf, deadLetter, onWait, onRecovered } = options;
  const waits = { signal, onWait, onRecovered };
  const pages = createPages({ log, codec });
  const insert = (table: string, rows: readonly object[]) =>
    retryForever(() => insertRows(client, table, rows), waits);

  const take = async ({ jobId, atUnixMs, event }: JobEntry, sequence: number): Promise<void> => {
    if (event.type === 'WaveCharged') {
      const { run, charged } = event;
      const charge = { job_id: jobId, run, charged_time: Math.floor(atUnixMs / 1_000), sequence };
      const rows = charged.map((place) => ({ ...charge, place }));
      await insert('retrace_charges', rows);
    }
    if (event.type !== 'WaveTraced') return;
    const { run, pieces, changes } = event;
    const wave = { jobId, run, foundUnixMs: atUnixMs, priced: new Set(event.priced), sequence };
    for (const piece of run === 1 ? pieces : changes) {
      const page = await retryForever(() => pages.read<KeptResult>(jobId, piece), {
        ...waits,
        isFinal: (error) => isLogLost(error) || isUnreadable(error),
      });
      const rows = page.flatMap((result) => rowsOf(wave, result));
      await insert('retrace_results', rows);
    }
  };

  await consumeBatches(log, { group, topics: [JOBS], ...waits }, async (records) => {
    const decode = decodeRecords(records, (record) => ({ record, entry: codec.events.decode(record.value) }));
    const refused: RefusedRecord[] = [...decode.refused];
    for (const { record, entry } of decode.decoded)
      try {
        await take(entry, sequenceOf(record));
      } catch (error) {
        if (signal.aborted || !isUnreadable(error)) throw error;
        refused.push({ record, reason: messageOf(error) });
      }
    await sendToDeadLetters(log, refused, { ...waits, tell: deadLetter });
  });
};

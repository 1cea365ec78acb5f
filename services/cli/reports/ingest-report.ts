import type { NumberRange } from '../../ingest/range/fetch-ahead.ts';
import type { RangeEvents } from '../../ingest/range/ingest-range.ts';
import { messageOf } from '../../platform/message-of.ts';
import { bar, duration, type Progress } from './progress.ts';

export type IngestReport = {
  readonly events: RangeEvents;
  /** What was read, and what had been read before; with `json` also one line of totals on stdout. */
  print(options: { chain: string; folder: string; json: boolean }): void;
};

/** Counts a range's blocks, shows progress, and prints totals at the end. */
export const createIngestReport = (
  progress: Progress,
  range: NumberRange & { readonly missing: readonly NumberRange[] },
  now: () => number = Date.now,
): IngestReport => {
  const numbers = range.last - range.first + 1;
  const wanted = range.missing.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const totals = { blocks: 0, movements: 0, problems: {} as Record<string, number> };
  const startedMs = now();
  let done = 0;

  return {
    events: {
      stored: ({ first, last, blocks, movements }) => {
        done += last - first + 1;
        totals.blocks += blocks;
        totals.movements += movements;
        const seconds = Math.max(0.001, (now() - startedMs) / 1_000);
        const rate = Math.round(totals.blocks / seconds);
        const left = duration((seconds / done) * (wanted - done));
        progress.update(`${bar(done / wanted)} ${last} of ${range.last}, ${rate} blocks/s, ${left} left`);
      },
      problem: ({ problem }) => {
        totals.problems[problem.code] = (totals.problems[problem.code] ?? 0) + 1;
      },
      waiting: (error) => progress.note(`trying again: ${messageOf(error)}`),
    },
    print: ({ chain, folder, json }) => {
      const seconds = (now() - startedMs) / 1_000;
      progress.note(
        `${totals.blocks} blocks of ${chain} with ${totals.movements} transfers in ${duration(seconds)}; data in ${folder}`,
      );
      const { first, last } = range;
      const counts = { done, done_before: numbers - wanted, ...totals };
      if (json)
        process.stdout.write(
          `${JSON.stringify({ name: 'ingest', chain, first, last, ...counts, seconds })}\n`,
        );
    },
  };
};

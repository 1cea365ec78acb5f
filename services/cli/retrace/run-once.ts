import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { showable } from '../../platform/showable.ts';
import { EXIT_INTERRUPTED } from '../interrupt.ts';
import { duration, type Progress } from '../reports/progress.ts';
import { type Anchor, parseAnchor } from './anchor.ts';
import { openJournal } from './journal.ts';
import type { RowRead } from './read-rows.ts';
import { readEarlier, reportChanges } from './report-changes.ts';
import type { KeptResult, Tracer } from './result.ts';
import { traceWaves } from './trace-waves.ts';
import { writeResults } from './write-results.ts';

export type Rows = {
  /** Another digest means another input. */
  readonly hash: string;
  readonly read: () => AsyncIterable<RowRead> | Iterable<RowRead>;
};

type Running = {
  readonly out: string;
  readonly window: number | undefined;
  readonly json: boolean;
  /** Where changes since the results in `out` are appended; null for a first run. */
  readonly changes: string | null;
  readonly rows: Rows;
  readonly open: (run: string) => Promise<Tracer>;
  readonly signal: AbortSignal;
  readonly progress: Progress;
};

const REFUSALS_TOLD = 20;

/** Traces every row, or resumes an earlier run of the same rows, and writes the results. Returns the exit code. */
export const runOnce = async (running: Running): Promise<number> => {
  const { out, window, json, changes, rows, open, signal, progress } = running;
  const path = `${out}.unfinished`;
  const begun = { run: randomUUID(), input: rows.hash, options: JSON.stringify({ window }) };
  const journal = await openJournal(path, begun);
  if (journal.done > 0) progress.note(`${journal.done} anchors are done already; continuing after them`);
  const totals = { anchors: 0, refused_rows: 0, refused: 0, candidates: 0 };
  const startMs = performance.now();
  let traced = 0;
  async function* anchors(): AsyncGenerator<Anchor> {
    let place = 0;
    for await (const row of rows.read()) {
      const anchor = 'unreadable' in row ? { problem: row.unreadable } : parseAnchor(row, place, window);
      if ('problem' in anchor) {
        totals.refused_rows += 1;
        if (totals.refused_rows <= REFUSALS_TOLD)
          progress.note(`refused: ${row.at}: ${showable(anchor.problem)}`);
        continue;
      }
      place += 1;
      yield anchor;
    }
  }
  const tracer = await open(journal.run.run);
  try {
    await traceWaves(anchors(), { journal, tracer, signal }, (results) => {
      traced += results.length;
      const perSecond = traced / ((performance.now() - startMs) / 1_000);
      progress.update(`${journal.done + traced} anchors traced, ${perSecond.toFixed(1)} a second`);
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    progress.end();
    progress.note('interrupted: what is traced is kept; the same command goes on from here');
    return EXIT_INTERRUPTED;
  } finally {
    await tracer.close();
  }
  const { run } = journal.run;
  const changed =
    changes === null
      ? null
      : await reportChanges(changes, { run, earlier: await readEarlier(out), results: journal.results() });
  await writeResults(
    out,
    counted(journal.results(), (result) => {
      totals.anchors += 1;
      if ('refused' in result) totals.refused += 1;
      else totals.candidates += result.answer.candidates.length;
    }),
  );
  rmSync(path);
  progress.end();
  const seconds = duration((performance.now() - startMs) / 1_000);
  progress.note(
    `${totals.anchors} anchors in ${out}, ${traced} of them now in ${seconds}; ${totals.refused_rows} rows refused`,
  );
  if (changed !== null) progress.note(`${changed.changed} of them changed: ${changes}`);
  const line = { name: 'retrace', out, ...totals, traced_now: traced, ...(changed && { changes: changed }) };
  if (json) process.stdout.write(`${JSON.stringify(line)}\n`);
  return 0;
};

async function* counted(results: AsyncIterable<KeptResult>, count: (result: KeptResult) => void) {
  for await (const result of results) {
    count(result);
    yield result;
  }
}

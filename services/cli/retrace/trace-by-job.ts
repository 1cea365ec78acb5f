import { setTimeout as sleep } from 'node:timers/promises';
import type { RetraceJob, RetraceResults, Spoor } from '../../sdk/create-spoor.ts';
import type { Anchor } from './anchor.ts';
import { type Result, type Tracer, withoutSearched } from './result.ts';

/** Anchors of one job. */
const WAVE = 1_000;
const LOOK_AGAIN_MS = 1_000;
const RESULTS_PER_PAGE = 500;
/** A job that could not be paid for is charged again every second, so one look does not say that it stands still. */
const PAUSED_LOOKS_MAX = 5;

type Jobs = Pick<Spoor, 'startRetrace' | 'retrace' | 'retraceResults'>;

class JobStoppedError extends Error {
  readonly code = 'job_stopped';
  constructor({ job_id: id, state, reason }: RetraceJob) {
    const why = reason === null ? state : `${state} (${reason})`;
    const remedy =
      state === 'cancelled'
        ? 'delete the .unfinished file to begin anew'
        : 'the same command goes on when that is mended; DELETE /retrace/ID ends the job';
    super(`job ${id} of the server is ${why}: ${remedy}`);
    this.name = 'JobStoppedError';
  }
}

/**
 * Has a server trace each wave as one job. The same run and wave are the same job, so that a repetition after a crash
 * goes on with it, and no anchor is charged twice.
 */
export const createTracerByJob = (
  spoor: Jobs,
  run: string,
  { lookAgainMs = LOOK_AGAIN_MS, onDone = (_done: number): void => {} } = {},
): Tracer => {
  const untilDone = async (id: string, signal: AbortSignal): Promise<void> => {
    for (let paused = 0; ; await sleep(lookAgainMs, undefined, { signal })) {
      const job = await spoor.retrace(id);
      if (job.state === 'done') return;
      onDone(job.done);
      paused = job.state === 'paused' ? paused + 1 : 0;
      if (job.state === 'cancelled' || paused >= PAUSED_LOOKS_MAX) throw new JobStoppedError(job);
    }
  };
  return {
    waveSize: () => WAVE,
    trace: async (anchors, signal) => {
      const body = { anchors: anchors.map((anchor) => anchor.body) };
      const idempotencyKey = `retrace ${run} ${anchors[0]?.place}`;
      const { job_id: id } = await spoor.startRetrace(body, { signal, idempotencyKey });
      await untilDone(id, signal);
      return readResults(spoor, id, anchors);
    },
    close: async () => {},
  };
};

const readResults = async (spoor: Jobs, id: string, anchors: readonly Anchor[]): Promise<Result[]> => {
  const results: Result[] = new Array(anchors.length);
  for (let cursor: string | undefined; ; ) {
    const page = await spoor.retraceResults(id, {
      limit: RESULTS_PER_PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    for (const found of page.results) if (found.run === 1) results[found.place] = toResult(found);
    if (!page.has_more) break;
    cursor = page.next_cursor;
  }
  const missing = anchors.findIndex((_, at) => results[at] === undefined);
  if (missing >= 0) throw new Error(`job ${id} is done and has no result of anchor ${missing}`);
  return results;
};

const toResult = ({ answer, refused }: RetraceResults['results'][number]): Result => {
  if (answer !== null) return { answer: withoutSearched(answer) };
  if (refused !== null) return { refused };
  throw new Error('a result of a job has neither an answer nor a refusal');
};

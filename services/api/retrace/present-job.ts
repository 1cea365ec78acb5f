import { TARIFFS } from '../../credits/decider/tariffs.ts';
import { type Job, KEPT_MS } from '../../retrace/job-book.ts';
import type { ShownResult } from '../../retrace/job-desk.ts';

const toSeconds = (unixMs: number): number => Math.floor(unixMs / 1_000);

const stateOf = ({ isCancelled, runEndedUnixMs, everySeconds, pauseReason }: Job) => {
  if (isCancelled) return 'cancelled';
  if (runEndedUnixMs !== null) return everySeconds > 0 ? 'waiting' : 'done';
  return pauseReason === null ? 'running' : 'paused';
};

export const presentJob = (job: Job) => {
  const { id, anchors, everySeconds, uncharged, askedUnixMs, runEndedUnixMs } = job;
  const state = stateOf(job);
  const url = `/retrace/${id}`;
  return {
    job_id: id,
    state,
    reason: state === 'paused' ? job.pauseReason : null,
    run: job.run,
    anchors,
    done: uncharged === null ? job.next : (uncharged.priced[0] ?? job.next),
    refused: job.refused,
    charged: job.charged,
    every_seconds: everySeconds === 0 ? null : everySeconds,
    asked_at: toSeconds(askedUnixMs),
    kept_until: toSeconds(askedUnixMs + KEPT_MS),
    ended_at: runEndedUnixMs === null ? null : toSeconds(runEndedUnixMs),
    price: { traces: anchors * TARIFFS.trace.units, credits: anchors * TARIFFS.trace.credits },
    status_url: url,
    results_url: `${url}/results`,
    csv_url: `${url}/results.csv`,
  };
};

export const presentResult = (shown: ShownResult) => ({
  run: shown.run,
  time: toSeconds(shown.atUnixMs),
  place: shown.place,
  anchor: shown.anchor,
  answer: 'answer' in shown ? shown.answer : null,
  refused: 'refused' in shown ? shown.refused : null,
  change: shown.change ?? null,
});

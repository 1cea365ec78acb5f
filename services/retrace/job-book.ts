import type { JobEntry, JobEvent, Piece } from './job-events.ts';

/**
 * Anchors that are traced together, and the position of their newest results, which may share a page with
 * others.
 */
type Wave = { readonly first: number; count: number; pieces: readonly Piece[] };

/** A traced wave whose anchors are not all charged yet. */
export type Uncharged = {
  readonly first: number;
  readonly count: number;
  /** Indexes of the anchors that are still to be charged, in order. */
  priced: readonly number[];
  attempt: number;
  deadlineUnixMs: number;
  ledgerOffset: number;
  /** Whether calls of this attempt may still be made. */
  isOpen: boolean;
};

/** Results that a job's list shows, as far as they are charged. */
type Told = {
  readonly run: number;
  readonly atUnixMs: number;
  readonly pieces: readonly Piece[];
  /** Results before this index are shown: all of them are charged or free. */
  upTo: number;
};

export type Job = {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly requestHash: string;
  readonly anchors: number;
  /** 0: it runs once. */
  readonly everySeconds: number;
  readonly askedUnixMs: number;
  readonly asked: readonly Piece[];
  run: number;
  runBegunUnixMs: number;
  /** null while the run continues. */
  runEndedUnixMs: number | null;
  /** Index of the next anchor to trace. */
  next: number;
  uncharged: Uncharged | null;
  pauseReason: string | null;
  isCancelled: boolean;
  /** Over all runs. */
  charged: number;
  /** Over the earlier runs. */
  chargedBefore: number;
  /** In this run. */
  refused: number;
  readonly waves: Wave[];
  readonly told: Told[];
};

/** A day before its first record is deleted, so that a job is always complete or gone. */
export const KEPT_MS = 29 * 86_400_000;

/** Whether anything may still be traced or charged without a new request. */
export const isUnfinished = ({ isCancelled, runEndedUnixMs, everySeconds }: Job): boolean =>
  !isCancelled && (runEndedUnixMs === null || everySeconds > 0);

/** Whether its next run may begin. */
export const isAtRest = ({ isCancelled, runEndedUnixMs }: Job): boolean =>
  !isCancelled && runEndedUnixMs !== null;

/** All jobs, derived from their events. */
export class JobBook {
  readonly #jobs = new Map<string, Job>();

  find(id: string): Job | null {
    return this.#jobs.get(id) ?? null;
  }

  jobs(): Iterable<Job> {
    return this.#jobs.values();
  }

  /** Whether the event counts: a late or repeated one changes nothing. */
  apply(entry: JobEntry): boolean {
    this.#forget(entry.atUnixMs);
    const { jobId, event } = entry;
    const job = this.#jobs.get(jobId);
    if (event.type === 'JobAsked') {
      if (job === undefined) this.#jobs.set(jobId, newJob(entry, event));
      return job === undefined;
    }
    return job !== undefined && evolve(job, event, entry.atUnixMs);
  }

  #forget(nowUnixMs: number): void {
    for (const [id, { askedUnixMs }] of this.#jobs) {
      if (askedUnixMs + KEPT_MS > nowUnixMs) return;
      this.#jobs.delete(id);
    }
  }
}

const newJob = (
  { jobId: id, accountId, atUnixMs }: JobEntry,
  event: Extract<JobEvent, { type: 'JobAsked' }>,
): Job => {
  const { keyId, requestHash, anchors, everySeconds, pieces } = event;
  return {
    ...{ id, accountId, keyId, requestHash, anchors, everySeconds },
    ...{ askedUnixMs: atUnixMs, asked: pieces, run: 1, runBegunUnixMs: atUnixMs, runEndedUnixMs: null },
    ...{ next: 0, uncharged: null, pauseReason: null, isCancelled: false, charged: 0, refused: 0 },
    ...{ chargedBefore: 0, waves: [], told: [] },
  };
};

/** Applies the event in place. */
const evolve = (job: Job, event: Exclude<JobEvent, { type: 'JobAsked' }>, atUnixMs: number): boolean => {
  switch (event.type) {
    case 'JobCancelled': {
      const isNews = !job.isCancelled;
      job.isCancelled = true;
      return isNews;
    }
    case 'RunBegun':
      if (!isAtRest(job) || event.run !== job.run + 1) return false;
      Object.assign(job, {
        run: event.run,
        runBegunUnixMs: atUnixMs,
        runEndedUnixMs: null,
        next: 0,
        refused: 0,
        chargedBefore: job.charged,
      });
      return true;
    case 'WaveTraced':
      return !job.isCancelled && takeWave(job, event, atUnixMs);
    case 'RunPaused':
      if (job.isCancelled || event.run !== job.run || job.runEndedUnixMs !== null) return false;
      job.pauseReason = event.reason;
      return true;
    case 'ChargeBegun': {
      const { uncharged } = job;
      if (job.isCancelled || uncharged === null || !isOf(job, event)) return false;
      const { attempt, deadlineUnixMs, ledgerOffset } = event;
      Object.assign(uncharged, { attempt, deadlineUnixMs, ledgerOffset, isOpen: true });
      job.pauseReason = null;
      return true;
    }
    case 'WaveCharged':
      return takeCharges(job, event, atUnixMs);
  }
};

const isOf = ({ run, uncharged }: Job, event: { readonly run: number; readonly first: number }): boolean =>
  event.run === run && event.first === uncharged?.first;

const takeWave = (job: Job, event: Extract<JobEvent, { type: 'WaveTraced' }>, atUnixMs: number): boolean => {
  const { run, first, count, pieces, changes, priced, deadlineUnixMs, ledgerOffset } = event;
  if (run !== job.run || first !== job.next || job.uncharged !== null) return false;
  if (run === 1) job.waves.push({ first, count, pieces });
  const at = job.waves.findIndex((known) => known.first === first);
  const wave = job.waves[at];
  if (wave !== undefined) {
    // A later run may process fewer at once.
    const rest = { first: first + count, count: wave.count - count, pieces: wave.pieces };
    if (rest.count > 0) job.waves.splice(at + 1, 0, rest);
    wave.count = count;
    if (pieces.length > 0) wave.pieces = pieces;
  }
  const shown = run === 1 ? pieces : changes;
  if (shown.length > 0) job.told.push({ run, atUnixMs, pieces: shown, upTo: first });
  job.uncharged = {
    first,
    count,
    priced,
    attempt: 1,
    deadlineUnixMs,
    ledgerOffset,
    isOpen: true,
  };
  job.refused += event.refused;
  job.pauseReason = null;
  return true;
};

/** Also counts for a cancelled job, because results that were paid for are shown. */
const takeCharges = (
  job: Job,
  event: Extract<JobEvent, { type: 'WaveCharged' }>,
  atUnixMs: number,
): boolean => {
  const { uncharged } = job;
  if (uncharged === null || !isOf(job, event)) return false;
  const charged = new Set(event.charged);
  job.charged += charged.size;
  uncharged.priced = uncharged.priced.filter((place) => !charged.has(place));
  uncharged.isOpen = false;
  const end = uncharged.first + uncharged.count;
  const upTo = uncharged.priced[0] ?? end;
  const told = job.told.at(-1);
  if (told?.run === job.run && (told.pieces[0]?.first ?? -1) >= uncharged.first) told.upTo = upTo;
  if (upTo < end && !job.isCancelled) return true;
  job.uncharged = null;
  job.next = upTo;
  if (upTo >= job.anchors) job.runEndedUnixMs = atUnixMs;
  return true;
};

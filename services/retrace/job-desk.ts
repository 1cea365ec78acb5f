import type { Clock } from '../platform/clock.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { followJudgedTopic } from '../platform/event-log/judged-topic.ts';
import { isAtRest, isUnfinished, type Job, JobBook, KEPT_MS } from './job-book.ts';
import { JOBS, type JobCodec } from './job-codec.ts';
import type { JobEvent } from './job-events.ts';
import { createPages } from './pages.ts';
import type { KeptResult } from './work-on-jobs.ts';
import type { AskedAnchor } from './worker-ports.ts';

/** The position at which a list of results continues. */
export type Place = { readonly told: number; readonly item: number };
export type ShownResult = KeptResult & { readonly run: number; readonly atUnixMs: number };

export type AskedJob = {
  readonly jobId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** A request with the same id is the same job only if this is equal, too. */
  readonly requestHash: string;
  readonly everySeconds: number;
  readonly anchors: readonly AskedAnchor['anchor'][];
};

/** An account's jobs that are still kept. */
type Held = {
  readonly unfinished: number;
  /** Anchors that cost nothing so far, plus a hundred for each job. Limits unpaid work. */
  readonly uncharged: number;
};
const JOB_COUNTS = 100;

/** The jobs as the API shows them. Each API process follows their topic. */
export type JobDesk = {
  /** Durable when it resolves. An id that is already known changes nothing. */
  ask(asked: AskedJob): Promise<Job>;
  find(jobId: string): Job | null;
  heldBy(accountId: string): Held;
  /** Whether it was not cancelled before. */
  cancel(job: Job): Promise<boolean>;
  /** Whether the previous run has ended and was not cancelled. */
  again(job: Job): Promise<boolean>;
  /** Charged or free results from an index on, up to a maximum number, and the index of the next ones. */
  results(job: Job, from: Place, limit: number): Promise<{ items: readonly ShownResult[]; next: Place }>;
  stop(): Promise<void>;
};

/** Resolves when all jobs in the log are known. */
export const openJobDesk = async (options: {
  readonly log: EventLog;
  readonly codec: JobCodec;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}): Promise<JobDesk> => {
  const { log, codec, clock, onError } = options;
  const book = new JobBook();
  const pages = createPages({ log, codec });
  const take = ({ value }: { value: Buffer }): boolean => book.apply(codec.events.decode(value));
  const topic = await followJudgedTopic<boolean>({ log, topic: JOBS, take, onError });

  const write = (job: Pick<Job, 'id' | 'accountId'>, event: JobEvent): Promise<boolean> => {
    const entry = { jobId: job.id, accountId: job.accountId, atUnixMs: clock.nowUnixMs(), event };
    return topic.write([{ topic: JOBS, key: job.id, value: codec.events.encode(entry) }]);
  };
  /** Running starts by account, because concurrent requests must see each other. */
  const starting = new Map<string, number>();
  const counted = async <T>(accountId: string, start: () => Promise<T>): Promise<T> => {
    starting.set(accountId, (starting.get(accountId) ?? 0) + 1);
    try {
      return await start();
    } finally {
      const left = (starting.get(accountId) ?? 1) - 1;
      if (left > 0) starting.set(accountId, left);
      else starting.delete(accountId);
    }
  };
  /** Also checked without a new event, because the job's records may have been deleted meanwhile. */
  const find = (jobId: string): Job | null => {
    const job = book.find(jobId);
    return job !== null && clock.nowUnixMs() < job.askedUnixMs + KEPT_MS ? job : null;
  };

  return {
    find,
    ask: ({ jobId: id, accountId, anchors, ...asked }) =>
      counted(accountId, async () => {
        const known = find(id);
        if (known !== null) return known;
        const pieces = await pages.write(
          id,
          anchors.map((anchor, place) => ({ place, anchor })),
        );
        await write({ id, accountId }, { type: 'JobAsked', ...asked, anchors: anchors.length, pieces });
        const job = find(id);
        if (job === null) throw new Error(`job ${id} is not in the log that it was written to`);
        return job;
      }),
    heldBy: (accountId) => {
      let unfinished = starting.get(accountId) ?? 0;
      let uncharged = 0;
      for (const job of book.jobs()) {
        if (job.accountId !== accountId) continue;
        if (isUnfinished(job)) unfinished += 1;
        uncharged += JOB_COUNTS + Math.max(0, job.anchors - job.charged);
      }
      return { unfinished, uncharged };
    },
    // An event without effect is not written: it would be free, and every process would read it for a month.
    cancel: async (job) => !job.isCancelled && write(job, { type: 'JobCancelled' }),
    again: (job) =>
      counted(job.accountId, async () => isAtRest(job) && write(job, { type: 'RunBegun', run: job.run + 1 })),
    results: async (job, from, limit) => {
      const items: ShownResult[] = [];
      let next = from;
      while (items.length < limit) {
        const told = job.told[next.told];
        if (told === undefined) break;
        const { upTo, run, atUnixMs } = told;
        let before = 0;
        let isWhole = true;
        for (const piece of told.pieces) {
          const start = next.item - before;
          before += piece.count;
          if (start >= piece.count) continue;
          const shown = (await pages.read<KeptResult>(job.id, piece)).filter(({ place }) => place < upTo);
          const taken = shown.slice(start, start + limit - items.length);
          items.push(...taken.map((item) => ({ ...item, run, atUnixMs })));
          next = { told: next.told, item: next.item + taken.length };
          isWhole = next.item === before;
          if (!isWhole) break;
        }
        if (!isWhole) break;
        next = { told: next.told + 1, item: 0 };
      }
      return { items, next };
    },
    stop: topic.stop,
  };
};

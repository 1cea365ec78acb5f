import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../platform/clock.ts';
import type { Consumer, EventLog } from '../platform/event-log/event-log.ts';
import { holdGroup } from '../platform/event-log/hold-group.ts';
import { chargeWave, deadlineFrom, mayBePosted } from './charge-wave.ts';
import { compareResults } from './compare-results.ts';
import { isUnfinished, type Job, JobBook, type Uncharged } from './job-book.ts';
import { JOBS, type JobCodec } from './job-codec.ts';
import type { JobEvent } from './job-events.ts';
import { createPages } from './pages.ts';
import type { Result } from './result.ts';
import type { AskedAnchor, JobLedger, TraceAnchors } from './worker-ports.ts';

type Options = {
  readonly log: EventLog;
  readonly codec: JobCodec;
  readonly clock: Clock;
  readonly ledger: JobLedger;
  readonly trace: TraceAnchors;
  /** Called with every failure. The worker keeps trying. */
  readonly onError: (error: unknown) => void;
};

/** What a page stores for an anchor. */
export type KeptResult = AskedAnchor & Result & { readonly change?: object };

const GROUP = 'retrace';
/**
 * Anchors that are traced, stored and charged together, and whose answers are in memory at once. Also used
 * for an account that can pay for few, so that free anchors after its last credit need few waves.
 */
const WAVE = { min: 32, max: 250 } as const;
const POLL = { maxBytes: 4 << 20 };
const IDLE_MS = 200;
/** Pause before a retry after a failure, or when the account cannot pay. */
const AGAIN_MS = 1_000;
/** Minimum pause before a run that cost nothing is repeated, because nobody pays for that work. */
const FREE_REST_MS = 3_600_000;
const RESTING_MAX = 10_000;

/**
 * The only worker of a log: one of its processes holds the group, and only that one can append a wave's
 * result. Resolves when told to stop.
 */
export const workOnJobs = async (options: Options, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    try {
      const onWait = options.onError;
      const consumer = await holdGroup(options.log, { group: GROUP, topics: [JOBS], signal, onWait });
      if (consumer === null) return;
      try {
        await workWhileHeld(options, consumer, signal);
      } finally {
        await consumer.close();
      }
    } catch (error) {
      if (signal.aborted) return;
      options.onError(error);
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  }
};

const workWhileHeld = async (options: Options, consumer: Consumer, signal: AbortSignal): Promise<void> => {
  const { log, codec, clock, ledger, trace, onError } = options;
  const pages = createPages({ log, codec });
  const book = new JobBook();
  let read = 0;
  /** By job: when it was served last, and when something of it is retried. */
  const servedAt = new Map<string, number>();
  const restsUntil = new Map<string, number>();
  /** The charging attempts that this process began, so that nobody else has calls of them under way. */
  const own = new Set<string>();

  /** Whether there was anything to do. */
  const advance = async (waitMs: number): Promise<boolean> => {
    const batch = await consumer.poll({ ...POLL, waitMs });
    for (const { value, offset } of batch?.records ?? []) {
      book.apply(codec.events.decode(value));
      read = offset + 1;
    }
    return batch !== null;
  };
  const append = async (job: Job, ...events: readonly JobEvent[]): Promise<void> => {
    const { id: jobId, accountId } = job;
    const atUnixMs = clock.nowUnixMs();
    const records = events.map((event) => ({
      ...{ topic: JOBS, key: jobId },
      value: codec.events.encode({ jobId, accountId, atUnixMs, event }),
    }));
    const last = (await consumer.transact({ records, commits: [] })).at(-1);
    while (last !== undefined && read <= last.offset) await advance(AGAIN_MS);
  };
  const nameOf = (job: Job, attempt: number): string => `${job.id}:${job.run}:${job.next}:${attempt}`;

  const beginCharging = async (job: Job, { first, attempt }: Uncharged): Promise<void> => {
    own.add(nameOf(job, attempt + 1));
    await append(job, {
      ...{ type: 'ChargeBegun', run: job.run, first, attempt: attempt + 1 },
      ...{
        deadlineUnixMs: deadlineFrom(clock.nowUnixMs()),
        ledgerOffset: await ledger.offset(job.accountId),
      },
    });
  };

  /** `WaveTraced` is in the log. */
  const charge = async (job: Job, uncharged: Uncharged): Promise<void> => {
    const name = nameOf(job, uncharged.attempt);
    const isOwn = own.has(name);
    // A cancelled job is not charged any further. Calls that an ended process may have under way must be
    // decided before its charges are counted.
    const mustWait = () => job.isCancelled && !isOwn && mayBePosted(uncharged, clock.nowUnixMs());
    if (mustWait()) return rest(job);
    const mayGoOn = async (): Promise<boolean> => {
      while (await advance(0));
      return !job.isCancelled && !signal.aborted;
    };
    const charged = await chargeWave(job, uncharged, { ledger, isOwn, mayGoOn }).catch((error: unknown) => {
      // Its calls may still be under way, like those of an ended process.
      own.delete(name);
      throw error;
    });
    signal.throwIfAborted();
    if (mustWait()) return rest(job);
    const isAll = charged.length === uncharged.priced.length;
    await append(job, { type: 'WaveCharged', run: job.run, first: uncharged.first, charged });
    own.delete(name);
    if (!isAll) rest(job);
  };

  const traceWave = async (job: Job): Promise<void> => {
    const { anchors: most, reason } = ledger.affordable(job);
    if (most === 0) {
      if (job.pauseReason !== reason) await append(job, { type: 'RunPaused', run: job.run, reason });
      return rest(job);
    }
    const { run, next: first } = job;
    const known = job.waves.find((wave) => wave.first === first);
    const wanted = known?.count ?? Math.min(WAVE.max, job.anchors - first, Math.max(WAVE.min, most));
    const asked = await pages.readSpan<AskedAnchor>(job.id, job.asked, { first, count: wanted });
    const results = await trace(
      asked.map(({ anchor }) => anchor),
      signal,
    );
    const count = results.length;
    const anchors = asked.slice(0, count);
    const before =
      known === undefined ? [] : await pages.readSpan<KeptResult>(job.id, known.pieces, { first, count });
    const kept = anchors.map((anchor, at): KeptResult => {
      const [was, is] = [before[at], results[at] as Result];
      return was !== undefined && isFailure(is) ? was : { ...anchor, ...is };
    });
    const changed = before.flatMap((was, at): KeptResult[] => {
      const is = kept[at];
      const change = is === undefined ? null : compareResults(was, is);
      return is === undefined || change === null ? [] : [{ ...is, change }];
    });
    const isNew = run === 1 || changed.length > 0;
    const pieces = isNew ? await pages.write(job.id, kept) : [];
    const changes = await pages.write(job.id, changed);
    const priced = anchors.flatMap(({ place }, at) => (isPriced(results[at] as Result) ? [place] : []));
    const refused = results.filter((result) => 'refused' in result).length;
    own.add(nameOf(job, 1));
    await append(job, {
      ...{ type: 'WaveTraced', run, first, count, pieces, changes, priced, refused },
      ...{
        deadlineUnixMs: deadlineFrom(clock.nowUnixMs()),
        ledgerOffset: await ledger.offset(job.accountId),
      },
    });
  };

  const rest = (job: Job): void => {
    // Losing this only means an earlier retry.
    if (restsUntil.size > RESTING_MAX) restsUntil.clear();
    restsUntil.set(job.id, clock.nowUnixMs() + AGAIN_MS);
  };

  const step = async (job: Job): Promise<void> => {
    const { uncharged } = job;
    if (uncharged?.isOpen) return charge(job, uncharged);
    if (uncharged !== null) {
      const { anchors, reason } = ledger.affordable(job);
      if (anchors > 0) return beginCharging(job, uncharged);
      if (job.pauseReason !== reason) await append(job, { type: 'RunPaused', run: job.run, reason });
      return rest(job);
    }
    if (job.runEndedUnixMs === null) return traceWave(job);
    return append(job, { type: 'RunBegun', run: job.run + 1 });
  };

  /** The next work, for the account that has waited longest. */
  const choose = (): Job | null => {
    const nowUnixMs = clock.nowUnixMs();
    let chosen: Job | null = null;
    const waited = ({ accountId }: Job): number => servedAt.get(accountId) ?? 0;
    for (const job of book.jobs()) {
      if (!hasWork(job, nowUnixMs) || (restsUntil.get(job.id) ?? 0) > nowUnixMs) continue;
      if (chosen === null || waited(job) < waited(chosen)) chosen = job;
    }
    return chosen;
  };

  consumer.seek({ topic: JOBS, partition: 0, offset: 0 });
  let turns = 0;
  // Reads the end again when nothing comes, because records may have been deleted since.
  const isBehind = async (): Promise<boolean> =>
    (await log.ranges(JOBS)).some(({ begin, end }) => begin < end && read < end);
  while (!signal.aborted && (await isBehind())) await advance(AGAIN_MS);
  while (!signal.aborted) {
    while (await advance(0));
    const job = choose();
    if (job === null) {
      await advance(IDLE_MS);
      continue;
    }
    servedAt.set(job.accountId, ++turns);
    try {
      await step(job);
    } catch (error) {
      if (signal.aborted) return;
      // When another member has the group, nothing more may be done. Everything else is retried.
      if (isFenced(error)) throw error;
      onError(error);
      rest(job);
    }
  }
};

const isFenced = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'fenced' || error.code === 'log_closed');

/**
 * When the window is not indexed at all, or the anchor cannot be traced, the anchor is free, as with POST
 * /trace.
 */
const isPriced = (result: Result): boolean => 'answer' in result && result.answer.meta.scope !== 'no_data';

/** A failure is no result: the next run is compared with the earlier result. */
const isFailure = (result: Result): boolean =>
  'refused' in result && ['timeout', 'internal_error'].includes(result.refused.code);

const hasWork = (job: Job, nowUnixMs: number): boolean => {
  if (job.uncharged?.isOpen) return true;
  if (!isUnfinished(job)) return false;
  const { runEndedUnixMs, everySeconds, charged, chargedBefore } = job;
  const restMs = Math.max(1_000 * everySeconds, charged > chargedBefore ? 0 : FREE_REST_MS);
  return runEndedUnixMs === null || runEndedUnixMs + restMs <= nowUnixMs;
};

import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { hashRequest } from '../../payments/offer/bind-request.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import { isUnfinished, type Job } from '../../retrace/job-book.ts';
import type { JobDesk, Place, ShownResult } from '../../retrace/job-desk.ts';
import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';
import { checkIdempotencyKey } from '../paid/bind-call.ts';
import { admitAccount } from '../paid/caller.ts';
import { createTraceSchema } from '../trace/schema.ts';
import { invalid, validate } from '../validate.ts';
import { presentJob, presentResult } from './present-job.ts';
import { NAMES, toRows } from './result-rows.ts';
import { createRetraceFrame } from './schema.ts';

export type RetraceDependencies = {
  /** null: no jobs are taken here. */
  readonly desk: JobDesk | null;
  readonly clock: Clock;
  readonly chains: readonly string[];
};

/** Anchors checked in one turn of the event loop, and results written in one. */
const AT_ONCE = 100;
/** Limits of one account; `uncharged` as the desk counts it. */
const HELD_MAX = { unfinished: 10, uncharged: 1_000_000 };
/** Jobs that an account may submit in a time, because parsing one takes a while, even if it is refused. */
const STARTS = { burst: 60, everyMs: 20_000 };
const LIMIT = { usual: 100, max: 500 };
const CURSOR = /^(\d{1,9})\.(\d{1,9})$/;
const START: Place = { told: 0, item: 0 };
const NEEDS_KEY =
  'A job needs a key: it is charged to an account as it goes on, and cannot be paid for by x402.';

/** A caller without an account is refused before a body of megabytes is read. */
export const admitJobs: ApiMiddleware = (ctx, next) => {
  const { caller } = ctx.state;
  if (caller.kind === 'payer' || caller.kind === 'anyone')
    throw new ApiError('unauthorized', { sentence: NEEDS_KEY, headers: { 'WWW-Authenticate': 'Bearer' } });
  admitAccount(caller);
  return next();
};

/** Limits how often an account submits jobs, before a body is read. */
export const limitStarts = (clock: Clock): ApiMiddleware => {
  const starts = createRateLimit(STARTS, clock);
  return (ctx, next) => {
    const seconds = starts.take(admitAccount(ctx.state.caller).accountId);
    if (seconds === 0) return next();
    throw new ApiError('too_many_jobs', {
      sentence: 'The account starts too many jobs; put more anchors into one.',
      headers: { 'Retry-After': String(seconds) },
    });
  };
};

/** The routes under /retrace. */
export const createRetraceHandlers = ({ desk: given, clock, chains }: RetraceDependencies) => {
  const frame = createRetraceFrame(chains);
  const schema = createTraceSchema(chains, clock);

  const desk = (): JobDesk => {
    if (given === null) throw new ApiError('unavailable');
    return given;
  };
  /** A job of another account is reported as unknown. */
  const findOwn = (accountId: string, id: string | undefined): Job => {
    const job = desk().find(id ?? '');
    if (job?.accountId !== accountId) throw new ApiError('not_found');
    return job;
  };
  const findOf = (ctx: Parameters<ApiMiddleware>[0]): Job =>
    findOwn(admitAccount(ctx.state.caller).accountId, ctx.params.id);

  const refuseTooMany = (accountId: string): void => {
    const { unfinished, uncharged } = desk().heldBy(accountId);
    if (unfinished >= HELD_MAX.unfinished) throw new ApiError('too_many_jobs');
    if (uncharged >= HELD_MAX.uncharged)
      throw new ApiError('too_many_jobs', {
        sentence:
          'The jobs of the last 29 days hold a million anchors that cost nothing; wait until some are forgotten.',
      });
  };

  /** Hashes the request. */
  const checkAnchors = async (anchors: readonly object[], everySeconds: number): Promise<string> => {
    const hash = createHash('sha256').update(`${everySeconds}`);
    for (const [at, anchor] of anchors.entries()) {
      if (at > 0 && at % AT_ONCE === 0) await nextTurn();
      const { error } = schema.safeParse(anchor);
      if (error === undefined) {
        hash.update(hashRequest('/retrace', anchor));
        continue;
      }
      throw invalid(
        ...error.issues.map(({ path, message, ...issue }) => ({
          path: ['anchors', at, ...path, ...('keys' in issue ? [String(issue.keys)] : [])].join('.'),
          message: issue.code === 'unrecognized_keys' ? 'is not a known field' : message,
        })),
      );
    }
    return hash.digest('hex');
  };

  const start: ApiMiddleware = async (ctx) => {
    const { accountId, keyId, once = null } = admitAccount(ctx.state.caller);
    const { anchors: told, chain, every_seconds: everySeconds = 0 } = validate(frame, ctx.state.body);
    const anchors = told.map((anchor) => (chain === undefined ? anchor : { chain, ...anchor }));
    const requestHash = await checkAnchors(anchors, everySeconds);
    if (once !== null) checkIdempotencyKey(once.key);
    const jobId = once === null ? randomUUID() : idOf(accountId, once.key);
    const known = desk().find(jobId);
    if (known === null) refuseTooMany(accountId);
    const job = known ?? (await desk().ask({ jobId, accountId, keyId, requestHash, everySeconds, anchors }));
    if (job.requestHash !== requestHash) throw new ApiError('idempotency_key_taken');
    ctx.status = 202;
    ctx.set('Location', `/retrace/${job.id}`);
    ctx.body = presentJob(job);
  };

  const show: ApiMiddleware = (ctx) => {
    ctx.body = presentJob(findOf(ctx));
  };
  const cancel: ApiMiddleware = async (ctx) => {
    const job = findOf(ctx);
    await desk().cancel(job);
    ctx.body = presentJob(job);
  };
  const again: ApiMiddleware = async (ctx) => {
    const job = findOf(ctx);
    if (!isUnfinished(job)) refuseTooMany(job.accountId);
    if (!(await desk().again(job))) throw new ApiError('job_not_ended');
    ctx.status = 202;
    ctx.body = presentJob(job);
  };

  async function* writeRows(job: Job): AsyncGenerator<string> {
    const columns = [...COLUMNS];
    yield stringify([], { header: true, columns, record_delimiter: '\r\n' });
    for (let from = START; ; ) {
      const { items, next } = await desk().results(job, from, AT_ONCE);
      if (items.length === 0) return;
      // Spreadsheets interpret some first characters as formulas, so those are escaped.
      const form = { columns, escape_formulas: true, record_delimiter: '\r\n' } as const;
      yield stringify(items.flatMap(rowsOf), form);
      from = next;
      await nextTurn();
    }
  }
  const file: ApiMiddleware = (ctx) => {
    const job = findOf(ctx);
    ctx.type = 'text/csv; charset=utf-8';
    ctx.attachment(`retrace-${job.id}.csv`);
    ctx.body = Readable.from(writeRows(job));
  };
  const results: ApiMiddleware = async (ctx) => {
    if (ctx.accepts('application/json', 'text/csv') === 'text/csv') return file(ctx, async () => {});
    const job = findOf(ctx);
    const { cursor, limit } = parsePage(ctx.query);
    const { items, next } = await desk().results(job, cursor, limit);
    const more = items.length < limit ? [] : (await desk().results(job, next, 1)).items;
    ctx.body = {
      results: items.map(presentResult),
      next_cursor: `${next.told}.${next.item}`,
      has_more: more.length > 0,
    };
  };
  return { start, show, cancel, again, results, file };
};

const COLUMNS = ['run', 'change', ...NAMES] as const;

const rowsOf = (shown: ShownResult) =>
  // A page stores what was presented as the documented answer.
  toRows({ ...shown, at: String(shown.place), body: shown.anchor } as never).map((row) => ({
    run: shown.run,
    change: shown.change === undefined ? '' : JSON.stringify(shown.change),
    ...row,
  }));

/** The same key gives the same job, however often it is sent. */
const idOf = (accountId: string, key: string): string => {
  const hash = createHash('sha256').update(`retrace ${accountId} ${key}`).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const parsePage = (query: NodeJS.Dict<string | string[]>): { cursor: Place; limit: number } => {
  const { cursor, limit } = query;
  const [, told, item] = CURSOR.exec(String(cursor)) ?? [];
  if (cursor !== undefined && told === undefined)
    throw invalid({ path: 'cursor', message: 'must be a `next_cursor` of an earlier page' });
  const count = limit === undefined ? LIMIT.usual : /^\d{1,3}$/.test(String(limit)) ? Number(limit) : 0;
  if (count < 1 || count > LIMIT.max)
    throw invalid({ path: 'limit', message: `must be a whole number from 1 to ${LIMIT.max}` });
  return { cursor: told === undefined ? START : { told: Number(told), item: Number(item) }, limit: count };
};

import type { z } from 'zod';
import { type CaseDesk, CaseRefusedError, type OwnCase } from '../../cases/case-desk.ts';
import type { Case } from '../../cases/decider/case.ts';
import { LIMITS, type Refusal } from '../../cases/decider/decide.ts';
import type { Clock } from '../../platform/clock.ts';
import { RecordTooLargeError } from '../../platform/event-log/event-log.ts';
import { createTurns } from '../account/turns.ts';
import type { ApiMiddleware, Caller } from '../context.ts';
import { createLine } from '../create-line.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import { admitAccount } from '../paid/caller.ts';
import { validate } from '../validate.ts';
import { type CaseExport, exportCase } from './export-case.ts';
import type { IssuedAnswers } from './issued-answers.ts';
import { linkBody, makeBody, nameBody, type stepField, takeBody, versionBody } from './schema.ts';

type Context = Parameters<ApiMiddleware>[0];
/** As it came, in whose text the order of fields is the sender's. */
type Sent = { readonly step: unknown };

/** While nobody has an account, cases are the service's. Throws `ApiError` `unauthorized`, `unavailable`. */
export const ownerOf = (caller: Caller): string =>
  caller.kind === 'anyone' ? 'open' : `account:${admitAccount(caller).accountId}`;

export type CaseDependencies = {
  readonly caseDesk: CaseDesk | null;
  /** null: nothing is signed here. */
  readonly caseExport: CaseExport | null;
  readonly issued: Pick<IssuedAnswers, 'has'>;
  readonly clock: Clock;
};

/** An export reads and packs up to some hundred megabytes. */
const EXPORTS = {
  ...{ atOnceMax: 1, waitingMax: 20, eachMax: 1, waitMs: 30_000 },
  sentence: 'Too many cases are being exported.',
};

/** The routes of cases. What somebody wrote is only ever shown to its owner, and by its link. */
export const createCaseHandlers = ({ caseDesk: given, caseExport, issued, clock }: CaseDependencies) => {
  const inTurn = createTurns();
  const exports = createLine(EXPORTS);
  /** A step holds more than was sent where the answer in it is this service's own. */
  const toText = (step: z.infer<typeof stepField>, sent: unknown): string =>
    JSON.stringify(
      step.type === 'answered' && issued.has((sent as { flow: unknown }).flow)
        ? { ...step, computed: true }
        : step,
    );
  const desk = (): CaseDesk => {
    if (given === null) throw new ApiError('unavailable', { sentence: 'No cases are kept here.' });
    return given;
  };
  const whichOf = (ctx: Context): OwnCase => ({
    owner: ownerOf(ctx.state.caller),
    id: String(ctx.params.id ?? ''),
  });
  const findOwn = (ctx: Context): Case => {
    const found = desk().find(whichOf(ctx));
    if (found === null) throw new ApiError('not_found');
    return found;
  };
  /** One change of an owner after the other, so that its limits hold. */
  const change = async <T>(ctx: Context, work: (which: OwnCase) => Promise<T>): Promise<T> => {
    const which = whichOf(ctx);
    try {
      return await inTurn(which.owner, () => work(which));
    } catch (error) {
      throw toApiError(error);
    }
  };
  const answer = async (ctx: Context, found: Case, shown: object): Promise<void> => {
    const { done, undone } = await desk().read(found);
    ctx.type = 'application/json';
    // The steps are text already, and may be megabytes.
    ctx.body = `${JSON.stringify(shown).slice(0, -1)},"done":[${done.join(',')}],"undone":[${undone.join(',')}]}`;
  };
  const stepBack =
    (way: 'undo' | 'redo'): ApiMiddleware =>
    async (ctx) => {
      const { version } = validate(versionBody, ctx.state.body);
      ctx.body = present(await change(ctx, (which) => desk()[way](which, version)));
    };

  return {
    list: ((ctx) => {
      ctx.body = { cases: desk().casesOf(ownerOf(ctx.state.caller)).map(present) };
    }) satisfies ApiMiddleware,
    make: (async (ctx) => {
      const { name, step } = validate(makeBody, ctx.state.body);
      const text = toText(step, (ctx.state.body as Sent).step);
      const made = await change(ctx, ({ owner }) => desk().make(owner, name, text));
      ctx.status = 201;
      ctx.body = present(made);
    }) satisfies ApiMiddleware,
    show: ((ctx) => {
      const found = findOwn(ctx);
      return answer(ctx, found, present(found));
    }) satisfies ApiMiddleware,
    take: (async (ctx) => {
      const { version, step } = validate(takeBody, ctx.state.body);
      const text = toText(step, (ctx.state.body as Sent).step);
      ctx.body = present(await change(ctx, (which) => desk().take(which, version, text)));
    }) satisfies ApiMiddleware,
    undo: stepBack('undo'),
    redo: stepBack('redo'),
    rename: (async (ctx) => {
      const { name } = validate(nameBody, ctx.state.body);
      ctx.body = present(await change(ctx, (which) => desk().rename(which, name)));
    }) satisfies ApiMiddleware,
    /** A signed file that anybody can check: the answers of the case, and every movement that they cite. */
    export: (async (ctx) => {
      if (caseExport === null) throw new ApiError('unavailable', { sentence: 'Nothing is signed here.' });
      const found = findOwn(ctx);
      const { caller, signal } = ctx.state;
      const { done: steps } = await desk().read(found);
      const asked = { steps, atUnixSeconds: toSeconds(clock.nowUnixMs()), signal };
      const zip = await exports(caller, signal, () => exportCase(caseExport, asked));
      ctx.type = 'application/zip';
      ctx.set('Content-Disposition', 'attachment; filename="case.zip"');
      ctx.body = Buffer.from(zip);
    }) satisfies ApiMiddleware,
    /** The only answer that ever holds the link. */
    share: (async (ctx) => {
      ctx.body = { link: await change(ctx, (which) => desk().share(which)) };
      ctx.status = 201;
    }) satisfies ApiMiddleware,
    unshare: (async (ctx) => {
      await change(ctx, (which) => desk().unshare(which));
      ctx.status = 204;
    }) satisfies ApiMiddleware,
    remove: (async (ctx) => {
      await change(ctx, (which) => desk().remove(which));
      ctx.status = 204;
    }) satisfies ApiMiddleware,
    /** Asked with a body, so that the link stands in no address and in no log of a proxy. */
    shared: (async (ctx) => {
      const { link } = validate(linkBody, ctx.state.body);
      const found = desk().findShared(link);
      if (found === null)
        throw new ApiError('not_found', { sentence: 'This link opens nothing, or nothing any more.' });
      const { name, changed_at } = present(found);
      // What its owner took back is for nobody else.
      await answer(ctx, { ...found, undone: [] }, { name, changed_at });
    }) satisfies ApiMiddleware,
  };
};

const toSeconds = (unixMs: number): number => Math.floor(unixMs / 1_000);

const present = ({ id, name, madeUnixMs, changedUnixMs, version, done, linkHash }: Case) => ({
  id,
  name,
  made_at: toSeconds(madeUnixMs),
  changed_at: toSeconds(changedUnixMs),
  version,
  steps: done.length,
  is_shared: linkHash !== null,
});

const CODES: Readonly<Record<Refusal, ErrorCode>> = {
  unknown: 'not_found',
  changed: 'case_changed',
  nothing: 'case_changed',
  many_cases: 'too_many_cases',
  many_steps: 'too_many_cases',
  long_case: 'body_too_large',
  full: 'too_many_cases',
};

const SENTENCES: Readonly<Partial<Record<Refusal, string>>> = {
  many_steps: `A case has at most ${LIMITS.steps} steps; begin another one.`,
  long_case: `The answers of a case have at most ${LIMITS.textBytes} bytes together; begin another one.`,
  full: 'All room for cases of this account is used up, deleted ones included.',
};

const toApiError = (error: unknown): unknown => {
  if (error instanceof RecordTooLargeError)
    return new ApiError('body_too_large', {
      sentence: 'This answer is too large to be kept.',
      cause: error,
    });
  if (!(error instanceof CaseRefusedError)) return error;
  const sentence = SENTENCES[error.code];
  return new ApiError(CODES[error.code], { cause: error, ...(sentence !== undefined && { sentence }) });
};

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import { type EventLog, LogError } from '../platform/event-log/event-log.ts';
import { followJudgedTopic } from '../platform/event-log/judged-topic.ts';
import { CaseBook } from './case-book.ts';
import { CASES, type CaseCodec } from './case-codec.ts';
import type { Case, CaseEvent } from './decider/case.ts';
import { type Command, decide, type Refusal } from './decider/decide.ts';
import { createSteps } from './steps.ts';

/** A command that was not carried out. Nothing was written, or it came too late. */
export class CaseRefusedError extends Error {
  readonly code: Refusal;
  constructor(code: Refusal) {
    super(`the case is not changed: ${code}`);
    this.name = 'CaseRefusedError';
    this.code = code;
  }
}

/** Whose case, and which. */
export type OwnCase = { readonly owner: string; readonly id: string };

/**
 * The cases of a service, as each API process follows them. A change is durable when it resolves, and throws
 * `CaseRefusedError`, or `LogError` when the log is out of reach; the change may be in it then.
 */
export type CaseDesk = {
  /** The first step is JSON text. */
  make(owner: string, name: string, step: string): Promise<Case>;
  /** `version`: of the case that was changed. */
  take(which: OwnCase, version: number, step: string): Promise<Case>;
  undo(which: OwnCase, version: number): Promise<Case>;
  redo(which: OwnCase, version: number): Promise<Case>;
  rename(which: OwnCase, name: string): Promise<Case>;
  /** Only this answer holds the link. An earlier one opens nothing any more. */
  share(which: OwnCase): Promise<string>;
  unshare(which: OwnCase): Promise<void>;
  remove(which: OwnCase): Promise<void>;
  /** null: there is none, or it is another owner's. Throws `LogError` while that cannot be told. */
  find(which: OwnCase): Case | null;
  findShared(link: string): Case | null;
  /** Newest first. */
  casesOf(owner: string): readonly Case[];
  /** The texts of its steps, in order. */
  read(found: Case): Promise<{ readonly done: readonly string[]; readonly undone: readonly string[] }>;
  stop(): Promise<void>;
};

const LINK_BYTES = 32;
/** A process that does not know the log up to this long ago shows nothing: a link may be revoked. */
const CURRENT_WITHIN_MS = 1_000;

const hashOf = (link: string): Buffer => createHash('sha256').update(link).digest();

/** Resolves when all cases in the log are known. */
export const openCaseDesk = async (options: {
  readonly log: EventLog;
  readonly codec: CaseCodec;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}): Promise<CaseDesk> => {
  const { log, codec, clock, onError } = options;
  const book = new CaseBook();
  const steps = createSteps({ log, codec });
  const topic = await followJudgedTopic<boolean>({
    ...{ log, topic: CASES, currentWithinMs: CURRENT_WITHIN_MS, onError },
    take: ({ value }) => book.apply(codec.events.decode(value)),
  });
  const known = (): CaseBook => {
    if (!topic.isFollowing()) throw new LogError('not_following', `topic ${CASES} is not followed`);
    return book;
  };
  const find = ({ owner, id }: OwnCase): Case | null => {
    const found = known().find(id);
    return found?.owner === owner ? found : null;
  };
  const check = (which: OwnCase, command: Command): void => {
    const refused = decide(find(which), book.ownedBy(which.owner), command);
    if (refused !== null) throw new CaseRefusedError(refused);
  };
  const record = async ({ owner, id }: OwnCase, event: CaseEvent): Promise<void> => {
    const entry = { caseId: id, owner, atUnixMs: clock.nowUnixMs(), event };
    const counts = await topic.write([
      { topic: CASES, key: `${owner} ${id}`, value: codec.events.encode(entry) },
    ]);
    // Another process was first.
    if (!counts) throw new CaseRefusedError('changed');
  };
  const change = async (which: OwnCase, command: Command, event: CaseEvent): Promise<Case> => {
    check(which, command);
    await record(which, event);
    return current(which);
  };
  const current = (which: OwnCase): Case => {
    const found = find(which);
    if (found === null) throw new CaseRefusedError('unknown');
    return found;
  };

  return {
    make: async (owner, name, step) => {
      const which = { owner, id: randomUUID() };
      const packed = await steps.pack(which.id, step);
      check(which, { type: 'make', ...packed.size });
      await record(which, { type: 'CaseMade', name, first: await steps.write(packed) });
      return current(which);
    },
    take: async (which, version, step) => {
      const packed = await steps.pack(which.id, step);
      check(which, { type: 'take', version, ...packed.size });
      await record(which, { type: 'StepTaken', version, piece: await steps.write(packed) });
      return current(which);
    },
    undo: (which, version) => change(which, { type: 'undo', version }, { type: 'StepUndone', version }),
    redo: (which, version) => change(which, { type: 'redo', version }, { type: 'StepRedone', version }),
    rename: (which, name) => change(which, { type: 'name' }, { type: 'CaseNamed', name }),
    share: async (which) => {
      const link = randomBytes(LINK_BYTES).toString('base64url');
      await change(which, { type: 'share' }, { type: 'LinkMade', hash: hashOf(link) });
      return link;
    },
    unshare: async (which) => {
      check(which, { type: 'unshare' });
      // An event without effect is not written: every process would read it for ever.
      if (current(which).linkHash !== null) await record(which, { type: 'LinkRevoked' });
    },
    remove: async (which) => {
      check(which, { type: 'delete' });
      await record(which, { type: 'CaseDeleted' });
    },
    find,
    findShared: (link) => known().findShared(hashOf(link).toString('hex')),
    casesOf: (owner) => known().casesOf(owner),
    read: async ({ id, done, undone }) => ({
      done: await steps.read(id, done),
      undone: await steps.read(id, undone),
    }),
    stop: topic.stop,
  };
};

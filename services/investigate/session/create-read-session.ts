import type { Clock } from '../../platform/clock.ts';
import { ReadFailedError } from '../model/transfer-reader.ts';
import { type Kind, type Kinds, type Reads, textOf } from './kind.ts';
import { BudgetSpentError, isTooLate } from './left-out.ts';
import type { OpenReads, Spent } from './open-reads.ts';

export type SessionOptions = {
  readonly clock: Clock;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly budget: {
    /** For the whole question. */
    readonly ms: number;
    /** For one read: an indexed query that takes longer means that the engine is in trouble. */
    readonly readMs: number;
    /** Kept back for what every answer needs at its end. */
    readonly keptMs?: number;
  };
};

/** What is missing of each part that is not whole, as far as it is known. */
export type Cut = ReadonlyMap<string, ReadonlySet<string>>;

type Within = { readonly keptMs?: number; readonly readMs?: number };

export type ReadSession<Of extends Kinds> = {
  /** Within the time that is left, less what is kept back. Throws `ReadFailedError`, or `BudgetSpentError`. */
  readonly reads: Reads<Of>;
  /** The same, with so much kept back instead. */
  readonly keeping: (keptMs: number) => Reads<Of>;
  /** The same, with so long for one read instead. */
  readonly within: (readMs: number) => Reads<Of>;
  /** A part that the answer can do without: null where it is too late, and then `cut` names it. Other failures are thrown. */
  readonly attempt: <T>(name: string, work: (reads: Reads<Of>) => Promise<T>) => Promise<T | null>;
  /** Names a part that is not whole, and what of it is missing where that is known. */
  readonly leaveOut: (part: string, ...missing: readonly string[]) => void;
  /** The parts that are not whole so far. */
  readonly cut: Cut;
  readonly leftMs: () => number;
  readonly spent: () => Spent;
};

/**
 * The only way from a question to its queries. What several parts of a question, or several questions over the same `open` reads, ask
 * for within a turn is one query; nothing is asked for twice while it is known. Each session has its own signal and its own time.
 *
 * To convert a question:
 * 1. Its ports are kinds by `kindsOf`, which tells how each query is asked (mark there as kept what a decorator remembered).
 * 2. Open a session where its budget was made: `createReadSession(openReads((count) => kinds), …)`, as `follow/follow-reader.ts` does.
 *    Ports whose methods still take whole requests are opened by `openPorts`.
 *    Questions that share their queries have one `openReads(…, { policy: SHARED })` and a session each.
 * 3. Hand `session.reads` down in place of readers and limits: `reads.labels({ chain }, addresses)` gives one answer an address. Parts
 *    that may be cut become `session.attempt(name, …)`.
 *
 * A key that the tables do not cover yet will be asked for by event, and waited for, in `load` of `open-reads.ts`: every list passes it.
 */
export const createReadSession = <Of extends Kinds>(
  open: OpenReads<Of>,
  { clock, signal, budget }: SessionOptions,
): ReadSession<Of> => {
  const endUnixMs = clock.nowUnixMs() + budget.ms;
  const cut = new Map<string, Set<string>>();
  const leaveOut = (part: string, ...missing: readonly string[]): void => {
    cut.set(part, new Set([...(cut.get(part) ?? []), ...missing]));
  };
  const leftMs = (): number => endUnixMs - clock.nowUnixMs();

  const readsWithin = ({ keptMs = budget.keptMs ?? 0, readMs = budget.readMs }: Within): Reads<Of> => {
    const ask = async (name: keyof Of, common: never, keys: readonly never[]) => {
      const ms = leftMs() - keptMs;
      if (ms <= 0) throw new BudgetSpentError();
      if (signal.aborted) throw new ReadFailedError('aborted');
      const isLast = ms <= readMs;
      try {
        const answers = await open.ask(name, common, keys, { signal, timeoutMs: Math.min(ms, readMs) });
        for (const key of cutKeys(open.kinds[name] as AnyKind, keys, answers)) leaveOut(String(name), key);
        return answers;
      } catch (error) {
        throw isLast && isTooLate(error) ? new BudgetSpentError() : error;
      }
    };
    const names = Object.keys(open.kinds);
    return Object.fromEntries(
      names.map((name) => [name, (common: never, keys: readonly never[]) => ask(name, common, keys)]),
    ) as Reads<Of>;
  };

  const reads = readsWithin({});
  return {
    keeping: (keptMs) => readsWithin({ keptMs }),
    within: (readMs) => readsWithin({ readMs }),
    ...{ reads, cut, leaveOut, leftMs, spent: open.spent },
    attempt: async (name, work) => {
      try {
        return await work(reads);
      } catch (error) {
        if (!isTooLate(error)) throw error;
        leaveOut(name);
        return null;
      }
    },
  };
};

type AnyKind = Kind<never, never, unknown>;

const cutKeys = (
  { isCut, textOf: keyText = textOf }: AnyKind,
  keys: readonly never[],
  answers: readonly unknown[],
): readonly string[] =>
  isCut === undefined ? [] : keys.filter((_, at) => isCut(answers[at])).map((key) => keyText(key));

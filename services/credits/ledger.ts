import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../platform/clock.ts';
import { type Consumer, type EventLog, GroupHeldError } from '../platform/event-log/event-log.ts';
import { AwaitedAnswers, rejectOnAbort } from './awaited-answers.ts';
import { type BooksView, COMMANDS, openBooksView } from './books-view.ts';
import { findAnswer, type LedgerAnswer } from './decider/answer.ts';
import type { Balance } from './decider/balance.ts';
import type { LedgerCommand } from './decider/commands.ts';
import type { Payer } from './decider/state.ts';
import type { Usage } from './decider/usage.ts';
import type { LedgerCodec, PayerCommand } from './ledger-codec.ts';
import { createLedgerWriter, type LedgerWriter } from './ledger-writer.ts';
import type { SnapshotFile } from './snapshot-file.ts';

/**
 * The credit ledger of a process. One process decides for all processes on a log. The others follow the log and
 * send their commands through it. When the deciding process ends, another takes over.
 */
export type Ledger = {
  /**
   * Resolves when the answer's event is durable. May be called again with the same command. Throws
   * `LedgerUnavailableError` if no answer came in time; the command may still be carried out.
   */
  submit(payer: Payer, command: LedgerCommand): Promise<LedgerAnswer>;
  /**
   * What this process knows. A following process may be some milliseconds behind. Throws `LedgerUnavailableError`.
   */
  balance(payer: Payer): Balance;
  usage(payer: Payer): Usage;
  /** When each key was last used, Unix milliseconds by key id. */
  keysUsed(payer: Payer): ReadonlyMap<string, number>;
  /** Whether the command with this id gave credits or a plan. */
  hasApplied(payer: Payer, commandId: string): boolean;
  /** Whether commands are answered at the moment. */
  isReady(): boolean;
  /** Resolves when they are. */
  ready(): Promise<void>;
  stop(): Promise<void>;
};

export type LedgerOptions = {
  readonly log: EventLog;
  readonly codec: LedgerCodec;
  readonly clock: Clock;
  readonly snapshot: SnapshotFile | null;
  /** Called on every failure; the ledger keeps trying. */
  readonly onError: (error: unknown) => void;
  /** A snapshot is made after this many events (default 1,000,000). */
  readonly snapshotEvents?: number;
  /** The maximum number of calls held (default `CALLS_MAX`); above it reservations are refused. */
  readonly callsMax?: number;
  /** Default 15 s. */
  readonly answerWithinMs?: number;
};

export class LedgerUnavailableError extends Error {
  readonly code = 'ledger_unavailable';
  constructor(options?: ErrorOptions) {
    super('the ledger did not answer', options);
    this.name = 'LedgerUnavailableError';
  }
}

const GROUP = 'ledger';
// Longer than the ten seconds for which brokers keep a killed writer's group.
const ANSWER_WITHIN_MS = 15_000;
const ADVANCE_MS = 100;
const CREDITS_ADDED_MAX = 100_000_000;
const ROUND_MS = 30_000;
const AGAIN_MS = 200;

export const startLedger = (options: LedgerOptions): Ledger => {
  const { log, codec, clock, onError, answerWithinMs = ANSWER_WITHIN_MS } = options;
  const stopping = new AbortController();
  const awaited = new AwaitedAnswers();
  let view: BooksView | null = null;
  let writer: LedgerWriter | null = null;
  let ready = Promise.withResolvers<void>();

  const become = (nextView: BooksView | null, nextWriter: LedgerWriter | null): void => {
    if (view !== null && nextView === null) ready = Promise.withResolvers();
    view = nextView;
    writer = nextWriter;
    if (view === null) return;
    ready.resolve();
    // Answers that arrived while nobody listened.
    for (const payer of awaited.payers()) answerFromBooks(payer);
  };

  const answerFromBooks = (payer: Payer): void => {
    if (view !== null) awaited.findIn(payer, view.books.stateOf(payer));
  };

  /** Follows the log until this process has the right to decide. */
  const readAlong = async (reading: BooksView): Promise<Consumer> => {
    const taking = takeGroup(log, stopping.signal);
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    taking.then(settle, settle);
    try {
      while (!isSettled) await reading.advance(ADVANCE_MS);
    } catch (error) {
      // Without this the right would never be given back.
      taking.then((consumer) => consumer.close()).catch(() => {});
      throw error;
    }
    return taking;
  };

  const serveOnce = async (): Promise<void> => {
    const reading = await openBooksView({ ...options, onEntry: ({ payer }) => answerFromBooks(payer) });
    let consumer: Consumer | null = null;
    try {
      become(reading, null);
      consumer = await readAlong(reading);
      // The previous writer can no longer write, so the log is complete now.
      await reading.catchUp();
      await reading.close();
      const onAnswer = awaited.give.bind(awaited);
      const writing = createLedgerWriter({ ...options, consumer, view: reading, onAnswer });
      become(reading, writing);
      await writing.run(stopping.signal);
    } finally {
      become(null, null);
      await reading.close();
      await consumer?.close();
    }
  };

  const serve = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await serveOnce();
      } catch (error) {
        if (stopping.signal.aborted) return;
        onError(error);
        await sleep(AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  };
  const served = serve();

  /** Sends the command through the log to the deciding process. */
  const handOver = async (request: PayerCommand, signal: AbortSignal): Promise<LedgerAnswer> => {
    const { payer, command } = request;
    const known = view === null ? null : findAnswer(view.books.stateOf(payer), command);
    if (known !== null) return known;
    const record = { topic: COMMANDS, key: payer, value: codec.encodeCommand(request) };
    return awaited.await(request, () => log.append([record]), signal);
  };

  /** Repeats until there is an answer; a repeated command gets the same one. */
  const insist = async (
    payer: Payer,
    command: LedgerCommand,
    first: unknown,
    withinMs = answerWithinMs,
  ): Promise<LedgerAnswer> => {
    const late = AbortSignal.any([AbortSignal.timeout(withinMs), stopping.signal]);
    const request = { payer, command };
    let cause = first;
    while (!late.aborted) {
      try {
        await Promise.race([ready.promise, rejectOnAbort(late)]);
        if (writer === null) return await handOver(request, late);
        return await Promise.race([writer.submit(request), rejectOnAbort(late)]);
      } catch (error) {
        cause = error;
        await sleep(AGAIN_MS, undefined, { signal: late }).catch(() => {});
      }
    }
    throw new LedgerUnavailableError({ cause });
  };

  const submit = async (payer: Payer, command: LedgerCommand): Promise<LedgerAnswer> => {
    checkCommand(command);
    if (writer === null) return insist(payer, command, null);
    const sinceUnixMs = clock.nowUnixMs();
    try {
      return await inTime(writer.submit({ payer, command }), answerWithinMs);
    } catch (error) {
      if (error instanceof LedgerUnavailableError) throw error;
      const passedMs = Math.max(0, clock.nowUnixMs() - sinceUnixMs);
      return insist(payer, command, error, Math.max(0, answerWithinMs - passedMs));
    }
  };

  const known = (): BooksView => {
    if (view === null) throw new LedgerUnavailableError();
    return view;
  };

  return {
    submit,
    balance: (payer) => known().books.balance(payer, clock.nowUnixMs()),
    usage: (payer) => known().books.usages.get(payer) ?? new Map(),
    keysUsed: (payer) => known().books.stateOf(payer).keysUsed,
    hasApplied: (payer, commandId) => known().books.stateOf(payer).applied.has(commandId),
    isReady: () => view !== null,
    ready: () => ready.promise,
    stop: async () => {
      stopping.abort(new Error('the ledger is stopping'));
      await served;
    },
  };
};

/** Keeps commands that the books cannot take out of the log. Throws `RangeError`. */
const checkCommand = (command: LedgerCommand): void => {
  if (command.type !== 'AddCredits') return;
  const { credits } = command;
  if (!Number.isInteger(credits) || credits < 1 || credits > CREDITS_ADDED_MAX)
    throw new RangeError(`credits must be a whole number from 1 to ${CREDITS_ADDED_MAX}`);
};

/**
 * Writing to the log has no time limit of its own. Rejects with `LedgerUnavailableError` when this answer took too
 * long.
 */
const inTime = (answer: Promise<LedgerAnswer>, withinMs: number): Promise<LedgerAnswer> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new LedgerUnavailableError()), withinMs);
    answer.then(resolve, reject).finally(() => clearTimeout(late));
  });

/** Waits without limit for the right to decide. */
const takeGroup = async (log: EventLog, signal: AbortSignal): Promise<Consumer> => {
  for (;;) {
    try {
      return await log.consume({ group: GROUP, topics: [COMMANDS], waitMs: ROUND_MS, signal });
    } catch (error) {
      if (!(error instanceof GroupHeldError)) throw error;
    }
  }
};

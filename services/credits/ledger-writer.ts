import type { Clock } from '../platform/clock.ts';
import type { Commit, Consumer } from '../platform/event-log/event-log.ts';
import { type BooksView, COMMANDS, EVENTS, FORGET_EVERY_MS, REFUSALS } from './books-view.ts';
import { findAnswer, type LedgerAnswer } from './decider/answer.ts';
import { createGroupCommit, type Group } from './group-commit.ts';
import type { LedgerCodec, LedgerEntry, PayerCommand } from './ledger-codec.ts';
import type { DrawnSnapshot, SnapshotFile } from './snapshot-file.ts';

export type LedgerWriter = {
  /** Decides at once and resolves when the decision is durable. Rejects if this writer failed meanwhile. */
  submit(command: PayerCommand): Promise<LedgerAnswer>;
  /** Also decides commands from the log, until the signal. Rejects when it failed or was fenced. */
  run(signal: AbortSignal): Promise<void>;
};

type Options = {
  /** Proves the right to write. */
  readonly consumer: Consumer;
  /** Books read to the end after the right was taken. From here on only this writer changes them. */
  readonly view: BooksView;
  readonly codec: LedgerCodec;
  readonly clock: Clock;
  readonly snapshot: SnapshotFile | null;
  /**
   * A snapshot is made after this many events (default 1,000,000), which bounds a start to some seconds. Calls
   * wait while it is made.
   */
  readonly snapshotEvents?: number;
  /** The maximum number of calls held (default `CALLS_MAX`). */
  readonly callsMax?: number;
  /** Called when a snapshot could not be made. */
  readonly onError: (error: unknown) => void;
  /** Called when a command of the log was decided and is durable. */
  readonly onAnswer: (command: PayerCommand, answer: LedgerAnswer) => void;
};

const POLL = { maxBytes: 1 << 20, waitMs: 100 };
/** How late a reservation may be voided after its deadline. */
const DUE_EVERY_MS = 500;
const SNAPSHOT_EVENTS = 1_000_000;

/**
 * The deciding process. Decisions are made in memory one after the other. While one group of events is written,
 * the next one gathers, and nothing is answered before its group is in the log. After a failure the books are
 * ahead of the log, so a new writer must read them again.
 */
export const createLedgerWriter = (options: Options): LedgerWriter => {
  const { consumer, view, codec, clock, snapshot, snapshotEvents = SNAPSHOT_EVENTS } = options;
  const { books } = view;
  let isStopping = false;
  let eventsSinceSnapshot = 0;

  /** null if the disk refuses a snapshot; a start then reads the log. */
  const draw = (): DrawnSnapshot | null => {
    eventsSinceSnapshot = 0;
    try {
      return snapshot?.draw(books) ?? null;
    } catch (error) {
      options.onError(error);
      return null;
    }
  };
  const keep = async (drawn: DrawnSnapshot): Promise<void> => {
    try {
      drawn.keep({ next: view.next, logIdentity: await view.identify() });
    } catch (error) {
      drawn.discard();
      options.onError(error);
    }
  };

  const write = async ({ records, commits }: Group): Promise<void> => {
    // Made now, while the books are exactly what they are once this group is durable.
    const drawn = eventsSinceSnapshot >= snapshotEvents ? draw() : null;
    try {
      const positions = await consumer.transact({ records, commits: [...commits.values()] });
      for (const { topic, partition, offset } of positions)
        if (topic === EVENTS) view.next.set(partition, offset + 1);
    } catch (error) {
      drawn?.discard();
      throw error;
    }
    if (drawn !== null) await keep(drawn);
  };
  const group = createGroupCommit({ write, clock });

  /** Resolves when this and everything decided before it is durable. */
  const record = (entries: readonly LedgerEntry[], commit?: Commit): Promise<void> => {
    eventsSinceSnapshot += entries.length;
    const records = entries.map((entry) => ({
      topic: entry.event.type === 'CallRefused' ? REFUSALS : EVENTS,
      key: entry.payer,
      value: codec.encodeEntry(entry),
    }));
    return group.gather(records, commit);
  };

  const decide = (request: PayerCommand): { entries: LedgerEntry[]; answer: LedgerAnswer } => {
    const { payer, command } = request;
    const entries = books.handle(payer, command, clock.nowUnixMs(), options.callsMax);
    const answer = findAnswer(books.stateOf(payer), command);
    if (answer === null) throw new Error(`${command.type} was decided without an answer`);
    return { entries, answer };
  };

  const submit = (command: PayerCommand): Promise<LedgerAnswer> => {
    const failure = group.failure();
    if (failure !== null) return Promise.reject(failure.error);
    if (isStopping) return Promise.reject(new Error('the ledger writer has stopped'));
    try {
      const { entries, answer } = decide(command);
      return record(entries).then(() => answer);
    } catch (error) {
      // The books may hold events that the log will never have.
      group.fail(error);
      return Promise.reject(error);
    }
  };

  const readCommands = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && group.failure() === null) {
      const batch = await consumer.poll(POLL);
      if (batch === null) continue;
      const commands = batch.records.map((record) => codec.decodeCommand(record.value));
      const decided = commands.map(decide);
      const offset = (batch.records.at(-1)?.offset ?? -1) + 1;
      const commit = { topic: COMMANDS, partition: batch.partition, offset, metadata: '' };
      await record(
        decided.flatMap(({ entries }) => entries),
        commit,
      );
      for (const [i, { answer }] of decided.entries()) {
        const command = commands[i];
        if (command) options.onAnswer(command, answer);
      }
    }
  };

  const voidOverdue = (): void => {
    try {
      void record(books.handleDue(clock.nowUnixMs()));
    } catch (error) {
      group.fail(error);
    }
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    const due = setInterval(voidOverdue, DUE_EVERY_MS).unref();
    const forget = setInterval(() => books.forget(clock.nowUnixMs()), FORGET_EVERY_MS).unref();
    try {
      await Promise.race([readCommands(signal), group.failed]);
      isStopping = true;
      // No more decisions from here: the snapshot below must equal the log.
      clearInterval(due);
      await record([]);
      const drawn = eventsSinceSnapshot > 0 ? draw() : null;
      if (drawn !== null) await keep(drawn);
    } catch (error) {
      group.fail(error);
      throw error;
    } finally {
      isStopping = true;
      clearInterval(due);
      clearInterval(forget);
    }
  };

  return { submit, run };
};

import type { Clock } from '../platform/clock.ts';
import type { Commit, Consumer } from '../platform/event-log/event-log.ts';
import { type BooksView, COMMANDS, EVENTS, FORGET_EVERY_MS, REFUSALS } from './books-view.ts';
import { findAnswer, type LedgerAnswer } from './decider/answer.ts';
import { createGroupCommit, type Group } from './group-commit.ts';
import type { LedgerCodec, LedgerEntry, PayerCommand } from './ledger-codec.ts';
import type { DrawnSnapshot, SnapshotFile } from './snapshot-file.ts';

export type LedgerWriter = {
  /** Decides at once; resolves when what was decided is durable. Rejects when this writer failed meanwhile. */
  submit(command: PayerCommand): Promise<LedgerAnswer>;
  /** Decides what comes through the log too, until the signal. Rejects when it failed or was fenced. */
  run(signal: AbortSignal): Promise<void>;
};

type Options = {
  /** Proves the right to write. */
  readonly consumer: Consumer;
  /** Caught up after the right was taken. Nobody reads it on from here: this writer's decisions are what follows. */
  readonly view: BooksView;
  readonly codec: LedgerCodec;
  readonly clock: Clock;
  readonly snapshot: SnapshotFile | null;
  /**
   * A start replays at most so many events, some seconds, and what came since; 1,000,000 unless given. Drawing a snapshot
   * stops all calls meanwhile.
   */
  readonly snapshotEvents?: number;
  /** So many calls of all payers are held at once, `CALLS_MAX` unless given. */
  readonly callsMax?: number;
  /** Hears of snapshots that could not be drawn. */
  readonly onError: (error: unknown) => void;
  /** A command of the log was decided and is durable. */
  readonly onAnswer: (command: PayerCommand, answer: LedgerAnswer) => void;
};

const POLL = { maxBytes: 1 << 20, waitMs: 100 };
/** How late a reservation may be voided after its deadline. */
const DUE_EVERY_MS = 500;
const SNAPSHOT_EVENTS = 1_000_000;

/**
 * The one that decides. Decisions are made in memory in turn; while one group of events is being made durable the next
 * one gathers, and nothing is answered before its group is in the log. After a failure the books here are ahead of the
 * log: the writer is of no use any more, and its successor reads them again.
 */
export const createLedgerWriter = (options: Options): LedgerWriter => {
  const { consumer, view, codec, clock, snapshot, snapshotEvents = SNAPSHOT_EVENTS } = options;
  const { books } = view;
  let isStopping = false;
  let eventsSinceSnapshot = 0;

  /** null where the disk takes none: a start reads the log then. */
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
    // Drawn now, while the books are exactly what they are once this group is durable.
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

  /** Resolves when this and all that was decided before it is durable. */
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
      // Halfway: the books may say what the log will never say.
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
      // Nothing may be decided any more: the snapshot below holds what is durable, and the log all that it holds.
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

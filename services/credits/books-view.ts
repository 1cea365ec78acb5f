import { randomUUID } from 'node:crypto';
import type { Consumer, EventLog, PartitionRange } from '../platform/event-log/event-log.ts';
import { Books } from './books.ts';
import { identifyLog } from './identify-log.ts';
import type { LedgerCodec, LedgerEntry } from './ledger-codec.ts';
import type { SnapshotFile } from './snapshot-file.ts';

export const COMMANDS = 'ledger.commands';
export const EVENTS = 'ledger.events';
/** Events that change no books. They are kept only as long as a command may be repeated. */
export const REFUSALS = 'ledger.refusals';

const READ_BYTES = 4 << 20;
const CATCH_UP_WAIT_MS = 1_000;
export const FORGET_EVERY_MS = 60_000;

/** The books as the log has them. Reading on keeps them current. */
export type BooksView = {
  readonly books: Books;
  /** The next offset of each partition of `ledger.events` to read. */
  readonly next: Map<number, number>;
  /** Reads once and waits up to `waitMs` for records. Resolves to whether there were any. */
  advance(waitMs: number): Promise<boolean>;
  /** Reads until the books hold everything that was in the log at the call. */
  catchUp(): Promise<void>;
  /** The log up to `next`, in the form a snapshot names it. */
  identify(): Promise<string>;
  close(): Promise<void>;
};

type Options = {
  readonly log: EventLog;
  readonly codec: LedgerCodec;
  readonly snapshot: SnapshotFile | null;
  /** Called for each event from the log, after it is in the books. */
  readonly onEntry: (entry: LedgerEntry) => void;
};

/** Starts from the snapshot if there is one, and reads the rest of the log. */
export const openBooksView = async (options: Options): Promise<BooksView> => {
  const { log, codec, onEntry } = options;
  const { books, next } = await readSnapshot(options);
  // Each process has its own group, because each reads all events.
  const consumer: Consumer = await log.consume({
    group: `ledger-view-${randomUUID()}`,
    topics: [EVENTS, REFUSALS],
  });
  for (const [partition, offset] of next) consumer.seek({ topic: EVENTS, partition, offset });

  const nextRefusals = new Map<number, number>();
  /** The time up to which each partition is read. During a start partitions may be hours apart. */
  const readUpToUnixMs = new Map([...next.keys()].map((partition) => [partition, books.lastUnixMs]));
  let forgotUnixMs = books.lastUnixMs;

  /** A reader without decisions has no other moment to forget old calls. */
  const forget = (): void => {
    const readUnixMs = Math.min(...readUpToUnixMs.values());
    if (readUnixMs - forgotUnixMs < FORGET_EVERY_MS) return;
    forgotUnixMs = readUnixMs;
    books.forget(readUnixMs);
  };

  const advance = async (waitMs: number): Promise<boolean> => {
    const batch = await consumer.poll({ maxBytes: READ_BYTES, waitMs });
    if (batch === null) return false;
    const { topic, partition, records } = batch;
    const isOfBooks = topic === EVENTS;
    for (const { value, offset } of records) {
      const entry = codec.decodeEntry(value);
      books.apply(entry);
      (isOfBooks ? next : nextRefusals).set(partition, offset + 1);
      if (isOfBooks) readUpToUnixMs.set(partition, entry.atUnixMs);
      onEntry(entry);
    }
    if (isOfBooks) forget();
    return true;
  };

  const isBehind = ({ topic, partition, begin, end }: PartitionRange): boolean =>
    begin < end && ((topic === EVENTS ? next : nextRefusals).get(partition) ?? 0) < end;
  const isAllRead = async (): Promise<boolean> => {
    const ranges = [...(await log.ranges(EVENTS)), ...(await log.ranges(REFUSALS))];
    while (ranges.some(isBehind)) if (!(await advance(CATCH_UP_WAIT_MS))) return false;
    return true;
  };

  const view: BooksView = {
    books,
    next,
    advance,
    catchUp: async () => {
      // The end is asked for again when nothing comes, because records may have been deleted meanwhile.
      while (!(await isAllRead()));
    },
    identify: () => identifyLog(log, EVENTS, next),
    close: () => consumer.close(),
  };
  try {
    await view.catchUp();
  } catch (error) {
    await consumer.close();
    throw error;
  }
  return view;
};

/** A snapshot ahead of the log, or with another last event, belongs to another log. */
const readSnapshot = async ({ log, snapshot }: Options) => {
  const found = snapshot?.read() ?? null;
  if (found === null) return { books: new Books(), next: new Map<number, number>() };
  const ends = new Map((await log.ranges(EVENTS)).map(({ partition, end }) => [partition, end]));
  const isOfThisLog = [...found.next].every(([partition, offset]) => offset <= (ends.get(partition) ?? 0));
  if (!isOfThisLog || (await identifyLog(log, EVENTS, found.next)) !== found.logIdentity)
    return { books: new Books(), next: new Map<number, number>() };
  return { books: found.books, next: new Map(found.next) };
};

import { randomUUID } from 'node:crypto';
import type { Consumer, EventLog, PartitionRange } from '../platform/event-log/event-log.ts';
import { Books } from './books.ts';
import { identifyLog } from './identify-log.ts';
import type { LedgerCodec, LedgerEntry } from './ledger-codec.ts';
import type { SnapshotFile } from './snapshot-file.ts';

export const COMMANDS = 'ledger.commands';
export const EVENTS = 'ledger.events';
/** The events that change no books, kept only as long as somebody may ask again. */
export const REFUSALS = 'ledger.refusals';

const READ_BYTES = 4 << 20;
const CATCH_UP_WAIT_MS = 1_000;
export const FORGET_EVERY_MS = 60_000;

/** The books as the log has them, kept up by reading on. */
export type BooksView = {
  readonly books: Books;
  /** The next offset of each partition of `ledger.events` that the books do not hold yet. */
  readonly next: Map<number, number>;
  /** Reads on once, waiting for at most `waitMs` for something to read. Resolves to whether there was something. */
  advance(waitMs: number): Promise<boolean>;
  /** Reads on until the books hold all that was in the log when it was called. */
  catchUp(): Promise<void>;
  /** The log up to `next`, as a snapshot names it. */
  identify(): Promise<string>;
  close(): Promise<void>;
};

type Options = {
  readonly log: EventLog;
  readonly codec: LedgerCodec;
  readonly snapshot: SnapshotFile | null;
  /** Hears of each event that came through the log, after it is in the books. */
  readonly onEntry: (entry: LedgerEntry) => void;
};

/** Begins with the snapshot where there is one, and reads the rest of the log. */
export const openBooksView = async (options: Options): Promise<BooksView> => {
  const { log, codec, onEntry } = options;
  const { books, next } = await readSnapshot(options);
  // A group of its own: every process reads all events, and nobody waits for anybody.
  const consumer: Consumer = await log.consume({
    group: `ledger-view-${randomUUID()}`,
    topics: [EVENTS, REFUSALS],
  });
  for (const [partition, offset] of next) consumer.seek({ topic: EVENTS, partition, offset });

  const nextRefusals = new Map<number, number>();
  /** How far each partition is read in time: at a start one may be hours ahead, whose time is not that of the others. */
  const readUpToUnixMs = new Map([...next.keys()].map((partition) => [partition, books.lastUnixMs]));
  let forgotUnixMs = books.lastUnixMs;

  /** Whoever only reads along has no other moment for it. */
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
      // Asked again where nothing comes: what the log held then may have been deleted since.
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

/** A snapshot that is ahead of the log, or ends with other events, is of another log. */
const readSnapshot = async ({ log, snapshot }: Options) => {
  const found = snapshot?.read() ?? null;
  if (found === null) return { books: new Books(), next: new Map<number, number>() };
  const ends = new Map((await log.ranges(EVENTS)).map(({ partition, end }) => [partition, end]));
  const isOfThisLog = [...found.next].every(([partition, offset]) => offset <= (ends.get(partition) ?? 0));
  if (!isOfThisLog || (await identifyLog(log, EVENTS, found.next)) !== found.logIdentity)
    return { books: new Books(), next: new Map<number, number>() };
  return { books: found.books, next: new Map(found.next) };
};

import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type FileDraft, openDraft } from '../platform/replace-file.ts';
import type { Books } from './books.ts';
import { fromLines, type StoredLine, toLines } from './stored-books.ts';

/** The books, the next offset of each partition of `ledger.events`, and the identity of the log (`identifyLog`). */
export type Snapshot = {
  readonly books: Books;
  readonly next: ReadonlyMap<number, number>;
  readonly logIdentity: string;
};

/** A snapshot only saves the replay. If it is missing or broken, the log is read from its beginning. */
export type SnapshotFile = {
  /** null if there is none that this version can read completely. */
  read(): Snapshot | null;
  /** Writes the books to a temporary file, line by line: they may exceed the longest string. */
  draw(books: Books): DrawnSnapshot;
};

export type DrawnSnapshot = {
  /** Makes it the current snapshot. Call it when the events up to `next` are durable. */
  keep(upTo: Omit<Snapshot, 'books'>): void;
  discard(): void;
};

const CHUNK_BYTES = 1 << 20;
/** A temporary file older than this was left by a dead process. */
const LEFT_MS = 3_600_000;

type LastLine = { readonly next: [number, number][]; readonly logIdentity: string; readonly digest: string };

export const openSnapshotFile = (path: string): SnapshotFile => ({
  read: () => {
    try {
      return readSnapshot(path);
    } catch {
      return null;
    }
  },
  draw: (books) => {
    removeLeft(path);
    const draft = openDraft(path, { mode: 0o600 });
    const writer = createHashingWriter(draft);
    for (const line of toLines(books)) writer.write(`${JSON.stringify(line)}\n`);
    return {
      keep: ({ next, logIdentity }) => {
        const where = { next: [...next], logIdentity };
        const digest = writer.digest(JSON.stringify(where));
        writer.write(JSON.stringify({ ...where, digest } satisfies LastLine));
        writer.flush();
        draft.keep();
      },
      discard: draft.discard,
    };
  },
});

const createHashingWriter = (draft: FileDraft) => {
  const hash = createHash('sha256');
  let waiting: string[] = [];
  let characters = 0;
  const flush = (): void => {
    const chunk = Buffer.from(waiting.join(''));
    draft.write(chunk);
    hash.update(chunk);
    waiting = [];
    characters = 0;
  };
  return {
    write: (text: string): void => {
      waiting.push(text);
      characters += text.length;
      if (characters >= CHUNK_BYTES) flush();
    },
    /** A digest of everything written so far and this line. */
    digest: (last: string): string => {
      flush();
      return hash.copy().update(last).digest('hex');
    },
    flush,
  };
};

const removeLeft = (path: string): void => {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    const draft = join(folder, name);
    if (name.startsWith(`${basename(path)}.`) && Date.now() - statSync(draft).mtimeMs > LEFT_MS)
      rmSync(draft, { force: true });
  }
};

/** The digest in the last line proves that the file is complete. Throws otherwise. */
const readSnapshot = (path: string): Snapshot | null => {
  const file = openSync(path, 'r');
  try {
    const hash = createHash('sha256');
    let last: LastLine | null = null;
    const stored = function* (): Generator<StoredLine> {
      for (const line of linesOf(file)) {
        const value = JSON.parse(line.toString()) as StoredLine | LastLine;
        if ('digest' in value) last = value;
        else {
          hash.update(line).update('\n');
          yield value;
        }
      }
    };
    const books = fromLines(stored());
    if (books === null || last === null) return null;
    const { next, logIdentity, digest }: LastLine = last;
    const isWhole = hash.update(JSON.stringify({ next, logIdentity })).digest('hex') === digest;
    return isWhole ? { books, next: new Map(next), logIdentity } : null;
  } finally {
    closeSync(file);
  }
};

function* linesOf(file: number): Generator<Buffer> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let begun: Buffer[] = [];
  for (let bytes = readSync(file, chunk); bytes > 0; bytes = readSync(file, chunk)) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1 && end < bytes; end = chunk.indexOf('\n', from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)]);
      begun = [];
      from = end + 1;
    }
    begun.push(Buffer.from(chunk.subarray(from, bytes)));
  }
  const rest = Buffer.concat(begun);
  if (rest.length > 0) yield rest;
}

import { createHash, randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { Books } from './books.ts';
import type { Payer, PayerState } from './decider/state.ts';

/**
 * Books, how far in each partition of `ledger.events` they have come (the offset of the next event), and of which log they
 * are (`identifyLog`).
 */
export type Snapshot = {
  readonly books: Books;
  readonly next: ReadonlyMap<number, number>;
  readonly logIdentity: string;
};

/** Saves the replay of what it holds, and nothing else: without it, or with a broken one, the log is read from its beginning. */
export type SnapshotFile = {
  /** null where there is none that this version can read whole. */
  read(): Snapshot | null;
  /** What is to be written, as it is now; `write` it when the events up to `next` are durable. */
  draw(books: Books): string;
  write(drawn: string, upTo: Omit<Snapshot, 'books'>): void;
};

// Raised whenever the state's shape or the meaning of an event changes.
const FORMAT = 3;

type Lists = 'open' | 'ended' | 'keysUsed';
type StoredState = Omit<PayerState, Lists | 'applied' | 'refused'> & {
  readonly [L in Lists]: [...(PayerState[L] extends Map<infer K, infer V> ? [K, V] : never)][];
} & { readonly applied: string[] };
type StoredHead = { readonly next: [number, number][]; readonly logIdentity: string };
type StoredBooks = {
  readonly format: number;
  readonly lastUnixMs: number;
  readonly states: [Payer, StoredState][];
  readonly usages: [Payer, [number, never][]][];
};

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export const openSnapshotFile = (path: string): SnapshotFile => ({
  read: () => {
    if (!existsSync(path)) return null;
    const [digest = '', head = '', drawn = ''] = readFileSync(path, 'utf8').split('\n');
    if (digestOf(head + drawn) !== digest) return null;
    const stored = JSON.parse(drawn) as StoredBooks;
    if (stored.format !== FORMAT) return null;
    const { next, logIdentity } = JSON.parse(head) as StoredHead;
    return { books: restore(stored), next: new Map(next), logIdentity };
  },
  draw: (books) => JSON.stringify(store(books)),
  // A crash leaves the old file or the new one.
  write: (drawn, { next, logIdentity }) => {
    const head = JSON.stringify({ next: [...next], logIdentity } satisfies StoredHead);
    // Processes of several machines may share the folder, and with it their process ids.
    const draft = `${path}.${randomUUID()}`;
    const file = openSync(draft, 'w', 0o600);
    writeSync(file, `${digestOf(head + drawn)}\n${head}\n${drawn}`);
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, path);
  },
});

const store = ({ lastUnixMs, states, usages }: Books): StoredBooks => ({
  format: FORMAT,
  lastUnixMs,
  // Refusals are read from their own topic, which holds all that are still remembered.
  states: [...states].map(([payer, { refused: _, ...state }]) => [
    payer,
    {
      ...state,
      open: [...state.open],
      ended: [...state.ended],
      keysUsed: [...state.keysUsed],
      applied: [...state.applied],
    },
  ]),
  usages: [...usages].map(([payer, usage]) => [payer, [...usage] as [number, never][]]),
});

const restore = ({ lastUnixMs, states, usages }: StoredBooks): Books => {
  const books = new Books();
  books.lastUnixMs = lastUnixMs;
  for (const [payer, state] of states) {
    const { open, ended, keysUsed, applied } = state;
    books.set(payer, {
      ...state,
      open: new Map(open),
      ended: new Map(ended),
      refused: new Map(),
      keysUsed: new Map(keysUsed),
      applied: new Set(applied),
    });
  }
  for (const [payer, usage] of usages) books.usages.set(payer, new Map(usage));
  return books;
};

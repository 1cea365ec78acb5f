import { lineUp } from '../model/give-way.ts';
import { ReadFailedError, type ReadLimits } from '../model/transfer-reader.ts';
import { askList, type Entry, isTimeout, type ListPolicy, type Load } from './ask-list.ts';
import { type Gate, OPEN } from './gate.ts';

/** Lists of one kind that run at once where they wait for each other: the engine uses one core for most queries. */
export const LISTS_AT_ONCE = 2;

/** One answer a key, within the caller's own limits. */
export type Loader<Key, Answer> = Load<Key, Answer>;

type Loading<Key, Answer> = {
  readonly load: Load<Key, Answer>;
  readonly textOf: (key: Key) => string;
  readonly keysMax?: number;
  readonly isKept?: boolean;
  /** Such an answer is no answer for whoever asks again. */
  readonly isCut?: (answer: Answer) => boolean;
};

/**
 * Makes lists of the keys that callers ask for within a turn of the event loop, each key once. A key that is known or being
 * asked for is not asked for again; one that failed or was cut is. Each caller has its own time and its own signal: a list has the time of
 * the caller with most of it, and is given up when nobody waits any more.
 */
export const createLoader = <Key, Answer>(
  {
    load,
    textOf,
    keysMax = Number.POSITIVE_INFINITY,
    isKept = false,
    isCut = () => false,
  }: Loading<Key, Answer>,
  policy: ListPolicy,
  /** Shared with the lists of the same kind that have something else in common. */
  gate: Gate = OPEN,
): Loader<Key, Answer> => {
  type Asked = Entry<Key, Answer>;
  const entries = new Map<string, Asked>();
  let queue: Asked[] = [];
  let isBusy = false;
  const eachOf: EachOf = policy.oneAtATime ? someAtOnce : allAtOnce;

  const askQueued = async (): Promise<void> => {
    isBusy = policy.oneAtATime === true;
    do {
      await gate(() => {
        const lists = cutEvenly(queue, keysMax);
        queue = [];
        return eachOf(lists, (list) => askList(list, { load, policy }));
      });
      // A caller that got its answer asks the next before the next list closes.
      if (isBusy) await new Promise((resolve) => setImmediate(resolve));
    } while (queue.length > 0 && isBusy);
    isBusy = false;
  };

  const enter = (key: Key, text: string): Asked => {
    const answer = Promise.withResolvers<Answer>();
    const entry: Asked = { key, text, answer, callers: new Set(), leave: null };
    const forget = (): void => {
      if (entries.get(text) === entry) entries.delete(text);
    };
    answer.promise.then((come) => {
      if (!isKept || isCut(come)) forget();
    }, forget);
    entries.set(text, entry);
    queue.push(entry);
    // When nothing else can proceed, all callers of this turn have asked, and those who gave way before.
    if (queue.length === 1 && !isBusy) void lineUp().then(askQueued);
    return entry;
  };

  return async (keys, limits) => {
    const mine = new Set<Asked>();
    const join = (key: Key): { readonly entry: Asked; readonly isUnderway: boolean } => {
      const text = textOf(key);
      const entry = entries.get(text) ?? enter(key, text);
      entry.callers.add(limits);
      mine.add(entry);
      return { entry, isUnderway: entry.leave !== null };
    };
    const askOne = async (key: Key): Promise<Answer> => {
      const { entry, isUnderway } = join(key);
      if (!isUnderway) return entry.answer.promise;
      return entry.answer.promise.catch((error: unknown) => {
        // The list was on its way with the time of other callers. Whoever has left asks for nothing more.
        if (!isTimeout(error) || !mine.has(entry)) throw error;
        return join(key).entry.answer.promise;
      });
    };
    try {
      return await untilOver(limits, () => Promise.all(keys.map(askOne)));
    } finally {
      const left = [...mine];
      mine.clear();
      for (const entry of left) {
        entry.callers.delete(limits);
        entry.leave?.();
      }
    }
  };
};

type EachOf = <List>(lists: readonly List[], ask: (list: List) => Promise<void>) => Promise<void>;

const allAtOnce: EachOf = async (lists, ask) => {
  await Promise.all(lists.map(ask));
};

const someAtOnce: EachOf = async (lists, ask) => {
  for (const some of inGroups(lists, LISTS_AT_ONCE)) await Promise.all(some.map(ask));
};

/** What one caller waits for, until its time is over or it leaves. */
const untilOver = async <T>({ signal, timeoutMs }: ReadLimits, work: () => Promise<T>): Promise<T> => {
  if (signal.aborted) throw new ReadFailedError('aborted');
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new ReadFailedError('aborted'));
  signal.addEventListener('abort', abort);
  const timer = setTimeout(() => reject(new ReadFailedError('timeout')), timeoutMs);
  try {
    return await Promise.race([promise, work()]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
};

const cutEvenly = <Item>(items: readonly Item[], max: number): (readonly Item[])[] =>
  inGroups(items, Math.ceil(items.length / Math.max(1, Math.ceil(items.length / max))));

const inGroups = <Item>(items: readonly Item[], size: number): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / Math.max(1, size)) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );

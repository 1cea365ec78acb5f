import { ReadFailedError, type ReadLimits } from '../model/transfer-reader.ts';
import { withinTime } from '../model/within-time.ts';

export type Load<Key, Answer> = (keys: readonly Key[], limits: ReadLimits) => Promise<readonly Answer[]>;

/** How the lists of one kind are asked for. */
export type ListPolicy = {
  /** How often a list that takes too long is halved, so that a few slow keys do not leave all without an answer. */
  readonly halvingsMax: number;
  /** What one query may take. Default: what its callers still have, of which each halving leaves half. */
  readonly queryMs?: number;
  /** Lists wait for the one before them, so that what is asked meanwhile joins them. Default: each turn is a list. */
  readonly oneAtATime?: boolean;
};

/** An interactive question: each turn is a list. */
export const ALONE: ListPolicy = { halvingsMax: 3 };
/** Many questions that run at once and wait for each other. */
export const SHARED: ListPolicy = {
  halvingsMax: Number.POSITIVE_INFINITY,
  queryMs: 60_000,
  oneAtATime: true,
};

/** A key that is being asked for. */
export type Entry<Key, Answer> = {
  readonly key: Key;
  readonly text: string;
  readonly answer: PromiseWithResolvers<Answer>;
  /** Who still waits for it. */
  readonly callers: Set<ReadLimits>;
  /** Tells its list that a caller left; null while it is in none. */
  leave: (() => void) | null;
};

type Asking<Key, Answer> = {
  readonly load: Load<Key, Answer>;
  readonly policy: ListPolicy;
};

/** Answers every entry, or tells it why it has no answer. `callersMs` is what its callers still have. */
export const askList = async <Key, Answer>(
  asked: readonly Entry<Key, Answer>[],
  asking: Asking<Key, Answer>,
  callersMs = longestOf(asked),
  halvings = asking.policy.halvingsMax,
): Promise<void> => {
  const list = asked.filter(isAwaited);
  // Nobody hears of it.
  for (const entry of asked) if (!isAwaited(entry)) entry.answer.reject(new ReadFailedError('aborted'));
  if (list.length === 0) return;
  const mayHalve = list.length > 1 && halvings > 0;
  const leftMs = mayHalve ? callersMs / 2 : callersMs;
  try {
    const answers = await loadWithin(list, asking, leftMs);
    if (answers.length !== list.length)
      throw new RangeError(`a query answers ${answers.length} of ${list.length} keys`);
    for (const [at, entry] of list.entries()) {
      entry.leave = null;
      entry.answer.resolve(answers[at] as Answer);
    }
  } catch (error) {
    if (mayHalve && isTimeout(error)) await askHalves(list, asking, leftMs, halvings - 1);
    else
      for (const entry of list) {
        entry.leave = null;
        entry.answer.reject(toOwnFailure(error));
      }
  }
};

/** An engine that is too slow for the whole gets no two in its place where lists wait for each other. */
const askHalves = async <Key, Answer>(
  list: readonly Entry<Key, Answer>[],
  asking: Asking<Key, Answer>,
  leftMs: number,
  halvings: number,
): Promise<void> => {
  const middle = Math.ceil(list.length / 2);
  const halves = [list.slice(0, middle), list.slice(middle)];
  if (asking.policy.oneAtATime) for (const half of halves) await askList(half, asking, leftMs, halvings);
  else await Promise.all(halves.map((half) => askList(half, asking, leftMs, halvings)));
};

/** One query, until its time is over or nobody waits for any of its keys. */
const loadWithin = <Key, Answer>(
  list: readonly Entry<Key, Answer>[],
  { load, policy }: Asking<Key, Answer>,
  leftMs: number,
): Promise<readonly Answer[]> => {
  const over = new AbortController();
  const leave = (): void => {
    if (!list.some(isAwaited)) over.abort();
  };
  for (const entry of list) entry.leave = leave;
  const keys = list.map(({ key }) => key);
  const timeoutMs = policy.queryMs ?? leftMs;
  return withinTime({ signal: over.signal, timeoutMs }, (signal) => load(keys, { signal, timeoutMs }));
};

const isAwaited = ({ callers }: { readonly callers: ReadonlySet<ReadLimits> }): boolean => callers.size > 0;

const longestOf = (list: readonly { readonly callers: ReadonlySet<ReadLimits> }[]): number =>
  list.reduce((most, { callers }) => [...callers].reduce((ms, one) => Math.max(ms, one.timeoutMs), most), 0);

export const isTimeout = (error: unknown): boolean =>
  error instanceof ReadFailedError && error.code === 'timeout';

/** Whoever still waits has not aborted. */
const toOwnFailure = (error: unknown): unknown =>
  error instanceof ReadFailedError && error.code === 'aborted'
    ? new ReadFailedError('timeout', { cause: error })
    : error;

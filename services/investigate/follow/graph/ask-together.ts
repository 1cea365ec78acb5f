import { ReadFailedError, type ReadLimits } from '../../model/transfer-reader.ts';
import { withinTime } from '../../model/within-time.ts';

type Waiting<Item, Answer> = {
  readonly item: Item;
  readonly limits: ReadLimits;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
};

/** Returns one answer per item, in the same order. */
export type AskAll<Item, Answer> = (items: readonly Item[], limits: ReadLimits) => Promise<readonly Answer[]>;

export type AskOne<Item, Answer> = (item: Item, limits: ReadLimits) => Promise<Answer>;

/** How often a slow group is halved, so that a few slow items do not leave all without an answer. */
const HALVINGS_MAX = 3;

/** Combines what several callers wait for into one question. If that takes too long, it asks for each half. */
export const askTogether = <Item, Answer>(askAll: AskAll<Item, Answer>): AskOne<Item, Answer> => {
  let waiting: Waiting<Item, Answer>[] = [];
  const ask = async (group: readonly Waiting<Item, Answer>[], limits: ReadLimits, halvings: number) => {
    const mayHalve = group.length > 1 && halvings > 0;
    const timeoutMs = mayHalve ? limits.timeoutMs / 2 : limits.timeoutMs;
    try {
      const answers = await withinTime({ ...limits, timeoutMs }, (signal) =>
        askAll(
          group.map(({ item }) => item),
          { signal, timeoutMs },
        ),
      );
      for (const [at, { resolve }] of group.entries()) resolve(answers[at] as Answer);
    } catch (error) {
      if (mayHalve && error instanceof ReadFailedError && error.code === 'timeout') {
        const middle = Math.ceil(group.length / 2);
        const halves = [group.slice(0, middle), group.slice(middle)];
        await Promise.all(halves.map((half) => ask(half, { ...limits, timeoutMs }, halvings - 1)));
      } else for (const one of group) one.reject(toOwnFailure(error, one.limits.signal));
    }
  };
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    const [one] = group;
    if (one !== undefined) void ask(group, one.limits, HALVINGS_MAX);
  };
  return (item, { signal, timeoutMs }) => {
    // When nothing else can proceed, all callers of this step have asked.
    if (waiting.length === 0) setImmediate(flush);
    return new Promise((resolve, reject) =>
      waiting.push({ item, limits: { signal, timeoutMs }, resolve, reject }),
    );
  };
};

/** One caller's signal aborts the question for all callers. */
const toOwnFailure = (error: unknown, signal: AbortSignal): unknown =>
  error instanceof ReadFailedError && error.code === 'aborted' && !signal.aborted
    ? new ReadFailedError('timeout', { cause: error })
    : error;

/** Never asks twice for the same item unless the first question failed. */
export const askOnce = <Item, Answer>(
  keyOf: (item: Item) => string,
  ask: AskOne<Item, Answer>,
): AskOne<Item, Answer> => {
  const known = new Map<string, Promise<Answer>>();
  return (item, limits) => {
    const key = keyOf(item);
    const answer = known.get(key) ?? ask(item, limits);
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    return answer;
  };
};

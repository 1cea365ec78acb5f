import { ReadFailedError, type ReadLimits } from '../../model/transfer-reader.ts';

type Waiting<Item, Answer> = {
  readonly item: Item;
  readonly limits: ReadLimits;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
};

/** Gives an answer for each item, in their order. */
export type AskAll<Item, Answer> = (items: readonly Item[], limits: ReadLimits) => Promise<readonly Answer[]>;

export type AskOne<Item, Answer> = (item: Item, limits: ReadLimits) => Promise<Answer>;

/** Asks as one question for what several wait for at the same time. */
export const askTogether = <Item, Answer>(askAll: AskAll<Item, Answer>): AskOne<Item, Answer> => {
  let waiting: Waiting<Item, Answer>[] = [];
  const flush = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    const [one] = group;
    if (one === undefined) return;
    try {
      const answers = await askAll(
        group.map(({ item }) => item),
        one.limits,
      );
      for (const [at, { resolve }] of group.entries()) resolve(answers[at] as Answer);
    } catch (error) {
      for (const { limits, reject } of group) reject(toOwnFailure(error, limits.signal));
    }
  };
  return (item, { signal, timeoutMs }) => {
    // Once nothing else can go on, all that will be asked for beside it is known.
    if (waiting.length === 0) setImmediate(() => void flush());
    return new Promise((resolve, reject) =>
      waiting.push({ item, limits: { signal, timeoutMs }, resolve, reject }),
    );
  };
};

/** The signal of one ends the question for all who wait for it. */
const toOwnFailure = (error: unknown, signal: AbortSignal): unknown =>
  error instanceof ReadFailedError && error.code === 'aborted' && !signal.aborted
    ? new ReadFailedError('timeout', { cause: error })
    : error;

/** Asks never twice for the same, but where it failed. */
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

import type { Many, Unlimited } from '../../model/many-reader.ts';
import { ReadFailedError, type ReadLimits } from '../../model/transfer-reader.ts';

/** Answers each list of requests, in its order. */
export type AskMany<Request, Answer> = (requests: Many<Request>) => Promise<readonly Answer[]>;

type Waiting<Request, Answer> = {
  readonly asked: Unlimited<Request>;
  readonly answer: PromiseWithResolvers<Answer>;
};

/** Limits a list so that its answers fit into memory. */
const LIST_MAX = 1_000;

/**
 * Batches one method of a reader for many traces at once. Requests of one turn of the event loop, and those
 * that come while an earlier list is being answered, become one list. A list that takes too long is halved.
 */
export const gatherQuestions = <Request extends ReadLimits, Answer>(
  askMany: AskMany<Request, Answer>,
): ((request: Request) => Promise<Answer>) => {
  const waiting: Waiting<Request, Answer>[] = [];
  let isBusy = false;

  const answerAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      await answerList(askMany, waiting.splice(0, LIST_MAX));
      // A trace that got its answer sends its next request before the next list closes.
      await new Promise((resolve) => setImmediate(resolve));
    }
    isBusy = false;
  };

  return ({ signal: _, timeoutMs: __, ...asked }) => {
    const answer = Promise.withResolvers<Answer>();
    waiting.push({ asked, answer });
    if (!isBusy) {
      isBusy = true;
      setImmediate(answerAll);
    }
    return answer.promise;
  };
};

const answerList = async <Request, Answer>(
  askMany: AskMany<Request, Answer>,
  list: readonly Waiting<Request, Answer>[],
): Promise<void> => {
  try {
    const found = await askMany(list.map(({ asked }) => asked));
    list.forEach(({ answer }, index) => {
      answer.resolve(found[index] as Answer);
    });
  } catch (error) {
    if (!(error instanceof ReadFailedError && error.code === 'timeout') || list.length === 1) {
      for (const { answer } of list) answer.reject(error);
      return;
    }
    const half = Math.ceil(list.length / 2);
    await answerList(askMany, list.slice(0, half));
    await answerList(askMany, list.slice(half));
  }
};

import { createHash } from 'node:crypto';

/** Longer than it takes from an answer to the case that keeps it, however many ask. */
const ANSWERS_MAX = 10_000;

/** What this process answered of late. Only that is signed later. */
export type IssuedAnswers = {
  readonly note: (answer: object) => void;
  readonly has: (answer: unknown) => boolean;
};

/** An answer that a client sends back is known by its text: JSON keeps the order of its fields. */
export const createIssuedAnswers = (answersMax = ANSWERS_MAX): IssuedAnswers => {
  const issued = new Set<string>();
  const digestOf = (answer: unknown): string =>
    createHash('sha256')
      .update(JSON.stringify(answer) ?? '')
      .digest('base64');
  return {
    note: (answer) => {
      issued.add(digestOf(answer));
      const [oldest] = issued;
      if (issued.size > answersMax && oldest !== undefined) issued.delete(oldest);
    },
    has: (answer) => issued.has(digestOf(answer)),
  };
};

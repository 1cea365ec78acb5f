import type { Statement } from '../../evidence/statement.ts';

type Question = Statement['predicate']['question'];

/** A `fetch` that remembers what was asked last. */
export const recordQuestion = (): { readonly fetch: typeof fetch; last(): Question } => {
  let asked: Question = null;
  return {
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const body = await request.clone().text();
      const { pathname, search } = new URL(request.url);
      asked = { path: `${pathname}${search}`, body: body === '' ? null : JSON.parse(body) };
      return fetch(request);
    },
    last: () => asked,
  };
};

import { expect, test } from 'vitest';
import { Books } from './books.ts';
import { fromLines, toLines } from './stored-books.ts';

const START = Date.UTC(2026, 0, 31);

/** Two accounts and a wallet, with more calls than a line holds. */
const busyBooks = (): Books => {
  const books = new Books();
  books.handle('account:a', { type: 'AddCredits', id: 'pack', credits: 100_000 }, START);
  for (const cycle of ['monthly', 'yearly'] as const) {
    const plan = {
      type: 'ChangePlan',
      id: cycle,
      plan: 'free',
      cycle,
      paidUntilUnixMs: START + 1e10,
    } as const;
    books.handle('account:b', plan, START);
  }
  for (const payer of ['account:a', 'account:b', 'wallet:solana:w'] as const)
    for (let call = 0; call < 3_500; call++) {
      const callId = `${call}`;
      const reserve = {
        callId,
        tariff: 'follow',
        keyId: `key ${call % 3}`,
        deadlineUnixMs: START + 120_000,
      } as const;
      books.handle(payer, { type: 'ReserveCall', ...reserve }, START + call);
      if (call % 5 === 0) books.handle(payer, { type: 'VoidCall', callId, reason: 'failed' }, START + call);
      else if (call < 3_498) books.handle(payer, { type: 'PostCall', callId }, START + call);
    }
  return books;
};

test('books are the same after they were written in lines, none of which is long however many calls there were', () => {
  const books = busyBooks();
  const lines = [...toLines(books)].map((line) => JSON.stringify(line));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(200_000);
  expect(lines.length).toBeGreaterThan(10);
  const read = fromLines(lines.map((line) => JSON.parse(line)));
  // Refusals are not in it.
  for (const state of books.states.values()) state.refused.clear();
  expect(read).toEqual(books);
  expect(read?.calls).toBe(books.calls);
  expect(books.calls).toBeGreaterThan(7_000);
});

test('lines of another version are no books', () => {
  expect(fromLines([{ format: 1, lastUnixMs: 0 }])).toBeNull();
  expect(fromLines([])).toBeNull();
});

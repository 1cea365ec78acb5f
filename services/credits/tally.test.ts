import { expect, test } from 'vitest';
import { Books } from './books.ts';
import { DEADLINE_MS_MAX, REMEMBERED_MS } from './decider/state.ts';
import { Tally } from './tally.ts';

const START = Date.UTC(2026, 0, 31);
const PAYER = 'wallet:solana:w';

test('a post is known as long as the ledger may void it, which forgets calls in the order of their ends', () => {
  const books = new Books();
  const reserve = (callId: string, lastsMs: number) =>
    books.handle(
      PAYER,
      { type: 'ReserveCall', callId, tariff: 'follow', keyId: null, deadlineUnixMs: START + lastsMs },
      START,
    );
  const late = START + 1 + REMEMBERED_MS;
  const entries = [
    ...reserve('long', DEADLINE_MS_MAX),
    ...reserve('short', 1),
    ...books.handle(PAYER, { type: 'VoidCall', callId: 'long', reason: 'failed' }, START),
    ...books.handle(PAYER, { type: 'PostCall', callId: 'short' }, START),
    ...books.handle(PAYER, { type: 'VoidCall', callId: 'short', reason: 'unanswered' }, late),
  ];
  expect(entries.at(-1)?.event).toMatchObject({ type: 'CallVoided', callId: 'short', postedUnixMs: START });
  const tally = new Tally();
  for (const { event, atUnixMs } of entries) tally.add(event, atUnixMs);
  expect(tally.problems).toEqual([]);
  expect(tally.counts).toMatchObject({ reserved: 2, posted: 0, voided: 2 });
});

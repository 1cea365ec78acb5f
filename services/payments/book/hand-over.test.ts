import { expect, test } from 'vitest';
import { claimOf } from '../../testing/x402/claim-of.ts';
import type { PaymentEvent } from '../decider/events.ts';
import { evolve } from '../decider/evolve.ts';
import { initialState } from '../decider/state.ts';
import { createHandOver } from './hand-over.ts';

const NOW = Date.UTC(2026, 0, 1);
const DEADLINE_MS = 150_000;
const CLAIMED = claimOf('a', { atUnixMs: NOW, deadlineUnixMs: NOW + DEADLINE_MS });
const STARTED: PaymentEvent = { type: 'SettlementStarted', claimId: 'a' };
const UNKNOWN: PaymentEvent = { type: 'PaymentUnknown', claimId: 'a' };
const SETTLED: PaymentEvent = { type: 'PaymentSettled', claimId: 'a', transaction: 'tx' };
const DONE: PaymentEvent = { type: 'WorkDone', claimId: 'a', answer: '0:0', isFree: false };

/** Events of one payment, each so many milliseconds after its claim; what whoever sends it again hears at a time. */
const open = (...events: [number, PaymentEvent][]) => {
  const state = initialState();
  for (const [afterMs, event] of events)
    evolve(state, { wallet: 'wallet:solana:x:payer', key: 'key', atUnixMs: NOW + afterMs, event });
  const payment = state.payments.get('key');
  if (payment === undefined) throw new Error('the payment is not in the book');
  let nowUnixMs = NOW;
  const book = { record: async () => ({ counts: true }) as const };
  const handOver = createHandOver({ book, clock: { nowUnixMs: () => nowUnixMs }, onError: () => {} });
  return (afterMs: number) => {
    nowUnixMs = NOW + afterMs;
    return handOver.stateOf(payment);
  };
};

test('an answer is on its way, and given to nobody else, for five seconds once it is there and settled, whichever came last', () => {
  for (const events of [
    [DONE, STARTED, SETTLED],
    [STARTED, SETTLED, DONE],
  ]) {
    const stateAt = open(
      [0, CLAIMED],
      ...events.map((event, i): [number, PaymentEvent] => [20_000 * (i + 1), event]),
    );
    expect([stateAt(60_000), stateAt(64_999), stateAt(65_000)]).toEqual(['under_way', 'under_way', 'owed']);
  }
});

test.each([
  ['at once', []],
  ['after nobody knew of it', [UNKNOWN]],
])(
  'what was settled early %s and is still worked out is waited for, until its process is gone',
  (_, between) => {
    const events = [STARTED, ...between, SETTLED].map((event): [number, PaymentEvent] => [30_000, event]);
    const stateAt = open([0, CLAIMED], ...events);
    expect([stateAt(DEADLINE_MS - 1), stateAt(DEADLINE_MS)]).toEqual(['under_way', 'owed']);
  },
);

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { madeFlow } from '../../../testing/console/made-flow.ts';
import { CARDS_MAX } from './choose-cards.ts';
import { NO_FILTERS } from './filters.ts';
import { keyOf } from './picture.ts';
import { showFlow } from './show-flow.ts';
import { act, NOTHING_DONE, redo, undo, type ViewEvent } from './view-events.ts';

const key = (address: string): string => keyOf('solana', address, null);
const answered = (payments: Parameters<typeof madeFlow>[0], from: string | null = null): ViewEvent => ({
  type: 'answered',
  flow: madeFlow(payments),
  from,
});
const wide = (payer: string, count: number): Parameters<typeof madeFlow>[0] =>
  Array.from({ length: count }, (_, at) => ({
    from: payer,
    to: `${payer}.${at}`,
    raw: BigInt(1_000_000 * (count - at)),
  }));

test('each wallet stands in the column of its hop, below its payer or beside it', () => {
  const { places } = showFlow([
    answered([
      { from: 'a', to: 'b', raw: 9n },
      { from: 'a', to: 'c', raw: 5n },
      { from: 'b', to: 'd', raw: 3n },
      { from: 'c', to: 'e', raw: 3n },
    ]),
  ]);
  expect(places.get(key('a'))).toEqual({ column: 0, row: 0 });
  expect(places.get(key('b'))).toEqual({ column: 1, row: 0 });
  expect(places.get(key('c'))).toEqual({ column: 1, row: 1 });
  expect(places.get(key('d'))).toEqual({ column: 2, row: 0 });
  expect(places.get(key('e'))).toEqual({ column: 2, row: 1 });
});

const steps = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('opened' as const),
      payer: fc.constantFrom(key('a'), key('a.0'), key('a.1')),
    }),
    fc.record({ type: fc.constant('hid' as const), card: fc.nat(99).map((at) => key(`a.${at}`)) }),
    fc
      .constantFrom(0, 0.02, 0.05, 0.09)
      .map((minUsd) => ({ type: 'filtered' as const, filters: { ...NO_FILTERS, minUsd } })),
    fc
      .tuple(fc.nat(5), fc.integer({ min: 1, max: 90 }))
      .map(([at, count]) => answered(wide(`a.${at}`, count), key(`a.${at}`))),
  ),
  { maxLength: 12 },
);

test('whatever is done, no card that stays moves, no two share a place, and at most 60 are shown', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const events: ViewEvent[] = [answered(wide('a', 100))];
      let before = showFlow(events);
      for (const event of taken) {
        events.push(event);
        const after = showFlow(events);
        for (const [card, place] of before.places) expect(after.places.get(card)).toEqual(place);
        const places = [...after.places.values()].map(({ column, row }) => `${column} ${row}`);
        expect(new Set(places).size).toBe(places.length);
        expect(after.chosen.cards.length).toBeLessThanOrEqual(CARDS_MAX);
        before = after;
      }
    }),
  );
});

test('every wallet is a card, in a fold, or counted as hidden', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const { chosen, filtered, view } = showFlow([answered(wide('a', 100)), ...taken]);
      const wallets = new Set(
        view.answers.flatMap(({ flow }) => flow.nodes.map(({ address }) => key(address))),
      );
      const folded = chosen.folds.flatMap(({ cards }) => cards);
      const told = [...chosen.cards, ...folded, ...filtered.hidden].map((card) => card.key);
      expect(told.length).toBe(wallets.size);
      expect(new Set(told)).toEqual(wallets);
    }),
  );
});

test('undo and redo of any steps show exactly what was shown before', () => {
  fc.assert(
    fc.property(steps, fc.nat(12), (taken, count) => {
      let history = act(NOTHING_DONE, answered(wide('a', 100)));
      for (const event of taken) history = act(history, event);
      const before = showFlow(history.done);
      let back = history;
      for (let at = 0; at < count; at++) back = undo(back);
      expect(back.done.length).toBe(Math.max(1, history.done.length - count));
      for (let at = 0; at < count; at++) back = redo(back);
      expect(showFlow(back.done)).toEqual(before);
    }),
  );
});

test('a fold that is opened shows its wallets though others are worth more', () => {
  const events = [answered([...wide('a', 80), ...wide('a.79', 5)])];
  expect(showFlow(events).chosen.cards.map(({ address }) => address)).not.toContain('a.79.4');
  const opened = showFlow([...events, { type: 'opened', payer: key('a.79') }]);
  expect(opened.chosen.cards.map(({ address }) => address)).toEqual(
    expect.arrayContaining(['a', 'a.79', 'a.79.0', 'a.79.4']),
  );
  expect(opened.chosen.folds.reduce((sum, { cards }) => sum + cards.length, 0)).toBe(86 - CARDS_MAX);
});

test('a wallet without a price is never hidden by an amount', () => {
  const flow = madeFlow([{ from: 'a', to: 'b', raw: 9n }]);
  const unpriced = { ...flow, nodes: flow.nodes.map((node) => ({ ...node, usd: null })) };
  const { filtered } = showFlow([
    { type: 'answered', flow: unpriced, from: null },
    { type: 'filtered', filters: { ...NO_FILTERS, minUsd: 1_000 } },
  ]);
  expect(filtered.hidden).toEqual([]);
});

test('money behind a bridge goes on in the same picture, one column further', () => {
  const first = answered([{ from: 'a', to: 'bridge', raw: 9n }]);
  const far = madeFlow([{ from: 'x', to: 'y', raw: 8n }], { chain: 'ethereum' });
  const { places, filtered } = showFlow([first, { type: 'answered', flow: far, from: key('bridge') }]);
  expect(places.get(keyOf('ethereum', 'x', null))?.column).toBe(2);
  expect(places.get(keyOf('ethereum', 'y', null))?.column).toBe(3);
  expect(filtered.shown.links.map(({ kind }) => kind)).toEqual(['payment', 'payment', 'crossing']);
});

test('a wallet that none of the money reached has no card and no line', () => {
  const { view, filtered } = showFlow([
    answered([
      { from: 'a', to: 'b', raw: 9n },
      { from: 'b', to: 'c', raw: 0n },
      { from: 'c', to: 'd', raw: 0n },
    ]),
  ]);
  expect(view.answers[0]?.flow.nodes).toHaveLength(4);
  expect([...filtered.shown.cards.values()].map(({ address }) => address)).toEqual(['a', 'b']);
  expect(filtered.shown.links.map(({ to }) => to)).toEqual([key('b')]);
});

test('a wallet where a limit stopped offers to go on from it, and what is asked there joins it in its own column', () => {
  const stopped = {
    address: 'b',
    reason: 'max_hops',
    amount: 9e-9,
    amount_raw: '9',
    usd: 9e-9,
    probability: 1,
  } as const;
  const first = answered([{ from: 'a', to: 'b', raw: 9n }]);
  const flow = { ...(first as Extract<ViewEvent, { type: 'answered' }>).flow, frontier: [stopped] };
  const before = showFlow([{ type: 'answered', flow, from: null }]);
  const [, card] = before.chosen.cards;
  expect(card?.next).toEqual([
    {
      path: '/follow',
      body: { chain: 'solana', address: 'b', asset: 'native', since: 1_700_000_000, amount: 9e-9 },
    },
  ]);
  const { places, chosen } = showFlow([
    { type: 'answered', flow, from: null },
    answered([{ from: 'b', to: 'c', raw: 9n }], key('b')),
  ]);
  expect(places.get(key('b'))).toEqual({ column: 1, row: 0 });
  expect(places.get(key('c'))).toEqual({ column: 2, row: 0 });
  expect(chosen.cards[1]).toMatchObject({ unread: null, next: [] });
});

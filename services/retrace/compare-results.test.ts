import { expect, test } from 'vitest';
import { compareResults } from './compare-results.ts';
import type { ComparedAnswer, KeptBasis, Result } from './result.ts';

type Told = {
  readonly candidates?: readonly (readonly [address: string, confidence: number])[];
  readonly meta?: Partial<ComparedAnswer['meta']>;
  readonly basis?: Partial<KeptBasis>;
};

const answered = ({ candidates = [], meta = {}, basis = {} }: Told): Result => ({
  answer: {
    candidates: candidates.map(([address, confidence]) => ({
      ...{ address, confidence, signature: `tx of ${address}`, time: 50 },
    })),
    meta: { calibration: 'one', data_from: 0, index_head: 9, ...meta },
  } as unknown as ComparedAnswer,
  basis: { labels: {}, prices: {}, ...basis },
});
const TILL = { kind: 'exchange', name: 'till' };

test('two equal answers are no change, whatever blocks came meanwhile', () => {
  const candidates = [['a', 0.5]] as const;
  const later = answered({ candidates, meta: { index_head: 12 } });
  expect(compareResults(answered({ candidates }), later)).toBeNull();
});

test('a candidate who got a label is lost by that label, and the others move', () => {
  const before = answered({
    candidates: [
      ['a', 0.5],
      ['b', 0.4],
    ],
  });
  const after = answered({ candidates: [['b', 0.9]], basis: { labels: { a: TILL, stranger: TILL } } });
  const label = { kind: 'label', address: 'a', before: null, after: TILL };
  expect(compareResults(before, after)).toEqual({
    new: [],
    lost: [{ address: 'a', rank: 1, confidence: 0.5, causes: [label] }],
    moved: [
      {
        address: 'b',
        before: { address: 'b', rank: 2, confidence: 0.4 },
        after: { address: 'b', rank: 1, confidence: 0.9 },
      },
    ],
    answer: null,
    // Of the stranger the earlier answer was told nothing, since it did not ask.
    causes: [label],
  });
});

test('who lost a label is new by that, and who has none by a transfer that was not there', () => {
  const before = answered({ basis: { labels: { a: TILL } } });
  const after = answered({
    candidates: [
      ['a', 0.5],
      ['b', 0.4],
    ],
    meta: { index_head: 12 },
  });
  const label = { kind: 'label', address: 'a', before: TILL, after: null };
  const blocks = {
    kind: 'blocks',
    before: { data_from: 0, index_head: 9 },
    after: { data_from: 0, index_head: 12 },
  };
  expect(compareResults(before, after)).toMatchObject({
    new: [
      { address: 'a', causes: [label] },
      { address: 'b', causes: [{ kind: 'transfer', signature: 'tx of b', time: 50 }] },
    ],
    causes: [label, blocks],
  });
});

test('another model or another price is named', () => {
  const before = answered({ candidates: [['a', 0.5]], basis: { prices: { 'native 5': 2, 'native 6': 1 } } });
  const after = answered({
    candidates: [['a', 0.6]],
    meta: { calibration: 'two' },
    basis: { prices: { 'native 5': 3, 'native 6': 1, 'native 7': 4 } },
  });
  expect(compareResults(before, after)).toMatchObject({
    moved: [{ address: 'a' }],
    causes: [
      { kind: 'model', before: 'one', after: 'two' },
      { kind: 'price', of: 'native 5', before: 2, after: 3 },
    ],
  });
});

test('an anchor that is refused now, or no longer, is told by the code', () => {
  const refused = { refused: { code: 'counterparty_not_traceable', field: 'counterparty', message: 'no' } };
  const traced = answered({});
  expect(compareResults(traced, refused)?.answer).toEqual({
    before: 'traced',
    after: 'counterparty_not_traceable',
  });
  expect(compareResults(refused, refused)).toBeNull();
});

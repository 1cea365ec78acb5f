import fc from 'fast-check';
import { expect, test } from 'vitest';
import { madeFlow } from '../../../testing/console/made-flow.ts';
import { listOutcomes } from './outcomes.ts';

type Flow = ReturnType<typeof madeFlow>;

const part = (raw: bigint) => ({ amount: Number(raw), amount_raw: String(raw), usd: Number(raw) });
/** Only what outcomes are told by. */
const endsOf = (ends: readonly object[]) => ends as Flow['ends'];
const raws = fc.bigInt({ min: 0n, max: 2n ** 120n });

test('the outcomes add up to what was taken, to the raw unit', () => {
  const reasons = fc.constantFrom('exchange', 'bridge', 'mixer', 'dex_swap', 'no_data', 'something_new');
  fc.assert(
    fc.property(fc.array(fc.tuple(reasons, raws)), raws, raws, raws, (ends, rest, beyond, untold) => {
      const flow = madeFlow([{ from: 'a', to: 'b', raw: 1n }]);
      const taken = ends.reduce((sum, [, raw]) => sum + raw, rest + beyond + untold);
      const rows = listOutcomes({
        ...flow,
        ends: endsOf(ends.map(([outcome, raw]) => ({ outcome, reason: outcome, ...part(raw) }))),
        frontier: [{ reason: 'max_hops', ...part(beyond) } as Flow['frontier'][number]],
        coverage: { ...flow.coverage, taken: part(taken), rest: part(rest) },
      });
      expect(rows.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)).toBe(taken);
      if (untold > 0n)
        expect(rows.find(({ outcome }) => outcome === 'Not told apart in this answer')?.amountRaw).toBe(
          untold,
        );
    }),
  );
});

test('an unpriced part makes the dollars of its outcome unknown, not zero', () => {
  const flow = madeFlow([{ from: 'a', to: 'b', raw: 1n }]);
  const ends = endsOf([
    { outcome: 'mixer', ...part(5n) },
    { outcome: 'mixer', ...part(3n), usd: null },
  ]);
  const rows = listOutcomes({
    ...flow,
    ends,
    coverage: { ...flow.coverage, taken: part(8n), rest: part(0n) },
  });
  expect(rows).toEqual([{ outcome: 'Into a mixer', amountRaw: 8n, usd: null, places: 2, share: 1 }]);
});

test('what rests or ended with somebody under sanctions is a row of its own, and the rows still add up', () => {
  const listed = { name: 'OFAC: listed', kind: 'sanctioned' } as const;
  const flow = madeFlow([
    { from: 'a', to: 'b', raw: 5n },
    { from: 'a', to: 'c', raw: 3n },
    { from: 'a', to: 'd', raw: 2n },
  ]);
  const rests = flow.rests.map((rest) => (rest.address === 'c' ? { ...rest, label: listed } : rest));
  const ends = endsOf([{ outcome: 'exchange', label: listed, ...part(4n) }]);
  const taken = { ...flow.coverage, taken: part(14n) };
  const rows = listOutcomes({ ...flow, rests, ends, coverage: taken });
  expect(rows.map(({ outcome, amountRaw, places }) => [outcome, amountRaw, places])).toEqual([
    ['At rest in wallets', 7n, 2],
    ['At an exchange, under sanctions', 4n, 1],
    ['At rest in wallets, under sanctions', 3n, 1],
  ]);
});

test('what rests is told by what became of it, and the rows still add up', () => {
  const flow = madeFlow([{ from: 'a', to: 'b', raw: 10n }]);
  const frozen = { signature: 'tx', time: 1, block: 1, by: null };
  const rests = flow.rests.map((rest) => ({ ...rest, burned_raw: '2', fees_raw: '1', frozen }));
  const rows = listOutcomes({ ...flow, rests });
  expect(rows.map(({ outcome, amountRaw }) => [outcome, amountRaw])).toEqual([
    ['Frozen by the issuer', 7n],
    ['Destroyed', 2n],
    ['Paid in fees', 1n],
  ]);
});

test('an answer that was kept before outcomes were told is still shown', () => {
  const flow = madeFlow([{ from: 'a', to: 'b', raw: 10n }]);
  const rests = flow.rests.map(({ address, amount, amount_raw, usd }) => ({
    address,
    amount,
    amount_raw,
    usd,
  }));
  const ends = [{ reason: 'mixer', ...part(5n) }];
  const coverage = { ...flow.coverage, taken: part(15n), rest: part(10n) };
  // What an older service answered has fewer fields than the type says.
  const rows = listOutcomes({ ...flow, rests, ends, coverage } as unknown as Flow);
  expect(rows.map(({ outcome }) => outcome)).toEqual(['At rest in wallets', 'Into a mixer']);
});

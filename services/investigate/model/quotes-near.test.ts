import fc from 'fast-check';
import { expect, test } from 'vitest';
import { priceAt, type Quote } from './price-at.ts';
import { indexQuotes } from './quotes-near.ts';

const HOUR = 3_600;
const time = fc.integer({ min: 0, max: 5 * 86_400 });
const usd = fc.option(fc.integer({ min: 1, max: 9 }));
const traded = (span: 'minute' | 'hour', seconds: number) =>
  fc
    .record({ at: time, into: fc.integer({ min: 0, max: seconds - 1 }), usd })
    .map(({ at, into, usd }): Quote => {
      const beginUnixSeconds = at - (at % seconds);
      return { source: 'market', span, beginUnixSeconds, atUnixSeconds: beginUnixSeconds + into, usd };
    });
const imported = fc.record({ at: time, usd, list: fc.constantFrom('a', 'b') }).map(
  ({ at, usd, list }): Quote => ({
    ...{ source: `import:${list}`, span: 'time', beginUnixSeconds: at, atUnixSeconds: at, usd },
  }),
);
const quotes = fc.array(fc.oneof(traded('minute', 60), traded('hour', HOUR), imported), { maxLength: 30 });

test('what an index finds near a time gives the price that all quotes give, pegged or not', () => {
  fc.assert(
    fc.property(quotes, time, fc.boolean(), (all, at, pegged) => {
      const near = indexQuotes(all)(at);
      expect(priceAt(at, { pegged, quotes: near })).toEqual(priceAt(at, { pegged, quotes: all }));
    }),
    { numRuns: 2_000 },
  );
});

test('however many quotes there are, a time has a few', () => {
  const all = Array.from({ length: 20_000 }, (_, index): Quote => {
    const beginUnixSeconds = index * 60;
    return {
      source: 'market',
      span: 'minute',
      beginUnixSeconds,
      atUnixSeconds: beginUnixSeconds + 30,
      usd: 1,
    };
  });
  expect(indexQuotes(all)(600_007)).toEqual([all[10_000]]);
});

import { describe, expect, test } from 'vitest';
import { tellStory } from '../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { crowd, deposit, forward, notes, POOL, T } from '../../testing/trace-story.ts';
import type { Query } from '../model/query.ts';
import type { Service, TraceReader } from '../model/trace-reader.ts';
import { ReadFailedError } from '../model/transfer-reader.ts';
import { completeTrace, prepareTrace, type TraceDependencies, trace } from './trace.ts';
import type { TraceRequest } from './trace-answer.ts';

const EXCHANGE: [string, Service] = ['pool', { entity: 'ex', kind: 'exchange' }];
const memoryOf = (pool: [string, Service]): TraceReader =>
  createMemoryTraceReader(tellStory('ethereum', [...notes, deposit, ...crowd]), {
    services: new Map([pool]),
  });

const AHEAD = ['serviceTransfers', 'neighbours', 'indexedSpan', 'walletTransfers'] as const;
type Asked = { readonly question: string; readonly signal: AbortSignal };

/** A reader that notes what is asked of it, and answers about the transaction when it is told to. */
const noting = (pool = POOL, changed: Partial<TraceReader> = {}) => {
  const asked: Asked[] = [];
  const memory = { ...memoryOf(pool), ...changed };
  const note = <Common, Key, Answer>(
    question: string,
    ask: Query<Common, Key, Answer>,
  ): Query<Common, Key, Answer> => {
    return (common, keys, limits) => {
      asked.push({ question, signal: limits.signal });
      return ask(common, keys, limits);
    };
  };
  const looked = Promise.withResolvers<void>();
  const reader: TraceReader = {
    ...memory,
    transaction: async (...request) => {
      await looked.promise;
      return memory.transaction(...request);
    },
    serviceTransfers: note('serviceTransfers', memory.serviceTransfers),
    neighbours: note('neighbours', memory.neighbours),
    indexedSpan: note('indexedSpan', memory.indexedSpan),
    walletTransfers: note('walletTransfers', memory.walletTransfers),
  };
  const dependencies: TraceDependencies = {
    ...{ reader, prices: createMemoryPriceReader(), signal: new AbortController().signal },
  };
  const countOf = () => AHEAD.map((name) => asked.filter(({ question }) => question === name).length);
  return { asked, countOf, dependencies, answer: () => looked.resolve() };
};

/** Until nothing more is asked: each query is asked at the end of a turn. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('while the transaction is looked up', () => {
  test.each([
    ['a mixer', POOL, [1, 1, 1, 1], 9],
    ['an exchange, of which an hour is searched,', EXCHANGE, [1, 1, 1, 0], 6],
  ] as const)(
    'what the search of %s needs is asked, and not again',
    async (_, [pool, service], counts, fits) => {
      const { countOf, dependencies, answer } = noting([pool, service]);
      const preparing = prepareTrace(forward, dependencies);
      await settled();
      expect(countOf()).toEqual(counts);
      answer();
      const traced = await completeTrace(await preparing);
      expect(countOf()).toEqual(counts);
      expect(traced.anonymitySet).toBe(fits);
    },
  );

  test.each<Partial<TraceRequest>>([
    { coin: 0.7 },
    { timeUnixSeconds: T - 5 },
    { coin: 0, usd: 3 },
    { coin: 1e-30 },
  ])('a request that tells it otherwise (%o) is answered by what the chain says', async (wrong) => {
    const { countOf, dependencies, answer } = noting(EXCHANGE);
    answer();
    const told = await trace({ ...forward, ...wrong }, dependencies);
    const { reader: _, ...others } = dependencies;
    const right = await trace(forward, { ...others, reader: memoryOf(EXCHANGE) });
    expect(told.anchor.corrections).not.toEqual([]);
    expect({ ...told, anchor: { ...told.anchor, corrections: [] } }).toEqual(right);
    expect(countOf().slice(1)).toEqual([1, 1, 0]);
  });

  test('what is under way when the request is refused is stopped', async () => {
    const { asked, dependencies, answer } = noting(EXCHANGE, { neighbours: () => new Promise(() => {}) });
    const underWay = () => asked.find(({ question }) => question === 'neighbours');
    const preparing = prepareTrace({ ...forward, wallet: 'zoe' }, dependencies);
    await settled();
    expect(underWay()?.signal.aborted).toBe(false);
    answer();
    await expect(preparing).rejects.toMatchObject({ code: 'anchor_contradicted' });
    await settled();
    expect(underWay()?.signal.aborted).toBe(true);
  });

  test('what fails then fails the search', async () => {
    const failing = () => Promise.reject(new ReadFailedError('unavailable'));
    const { dependencies, answer } = noting(EXCHANGE, { serviceTransfers: failing });
    answer();
    const prepared = await prepareTrace(forward, dependencies);
    await expect(completeTrace(prepared)).rejects.toEqual(new ReadFailedError('unavailable'));
  });
});
